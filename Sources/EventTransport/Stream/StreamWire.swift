import CLibevent
import Glibc

/// The result of one attempt to receive.
enum ReceiveOutcome {
    case bytes(Int)
    case wouldBlock
    /// TLS must send something of its own before it can go on receiving.
    case mustSendFirst
    /// The peer's orderly end.
    case ended
    /// An errno, or 0 if the TLS session knows more.
    case failed(Int32)
}

/// The result of one attempt to send.
enum SendOutcome {
    /// The number of bytes sent; fewer than given means that the socket is full.
    case sent(Int)
    /// An errno, or 0 if the TLS session knows more.
    case failed(Int32)
}

/// A connected descriptor with or without TLS: the system calls of a stream, nothing else.
///
/// A copy shares the descriptor; its one owner calls `close()` once.
struct StreamWire {
    let tls: TLSSession?
    // Last, so that a connection's numbers of 32 bits fit behind it.
    let descriptor: Int32

    /// One receive of at most `limit` bytes into the loop's read buffer; over TLS, all records that have arrived.
    func receive(upTo limit: Int, on loop: EventLoop) -> ReceiveOutcome {
        if let tls { return tls.receive(upTo: limit, on: loop) }
        while true {
            // SAFETY: the buffer is the loop's own and has room for `limit` bytes; it is not lent out.
            let count = unsafe attache_socket_receive(descriptor, loop.readBuffer.baseAddress, limit)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case let number: return .failed(number)
            }
        }
    }

    /// Whether the kernel holds bytes of the peer, its end or its reset.
    var holdsUnread: Bool {
        var byte: UInt8 = 0
        // SAFETY: the call writes at most the one byte that it is lent.
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count >= 0 || errno != EAGAIN
    }

    /// Sends as much of both pieces as the socket takes.
    func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, on loop: EventLoop) -> SendOutcome {
        // SAFETY: the bytes are only read, before the calls return.
        if let tls { return unsafe tls.send(first, second, on: loop) }
        while true {
            let count =
                unsafe second.isEmpty
                ? attache_socket_send(descriptor, first.baseAddress, first.count)
                : attache_socket_send2(
                    descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
            if count >= 0 { return .sent(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .sent(0)
            case let number: return .failed(number)
            }
        }
    }

    /// The number of sent bytes that the peer's system has not acknowledged yet.
    var unacknowledgedByteCount: Int { Int(attache_socket_unacknowledged(descriptor)) }

    /// Ends the sending side; false if the socket is too full to do it now.
    func endSending() -> Bool {
        if let tls { return tls.endSending() }
        shutdown(descriptor, Int32(SHUT_WR))
        return true
    }

    /// Sends close_notify over TLS; false if closing now might cost the peer the last bytes.
    ///
    /// A server's session tickets may be on their way, and closing with unread bytes makes the kernel send a reset.
    func endRecords() -> Bool {
        guard let tls else { return true }
        guard unacknowledgedByteCount == 0, tls.endSending() else { return false }
        // MSG_TRUNC drops the bytes of a TCP stream without storing them (tcp(7)). The loop's buffer will not do:
        // another connection's delegate may be reading it.
        _ = recv(descriptor, nil, Self.droppedAtOnce, Int32(MSG_TRUNC))
        return true
    }

    private static let droppedAtOnce = 1 << 20

    func close() { Glibc.close(descriptor) }
}
