import CLibevent

extension StreamConnection {
    /// The read size of a connection that is not known to receive in bulk, or whose bytes are not taken that fast.
    ///
    /// A larger read might have to be kept until they are taken.
    static let firstReadSize = 64 * 1024

    /// Leaves the peer's bytes in the kernel, which slows the peer down; may be called repeatedly.
    package func pauseReading() {
        switch machine.pauseRequested() {
        case .stopReading:
            readSize = Int32(Self.firstReadSize)
            readEvent?.remove()
        case .none: break
        }
    }

    /// Continues to receive; bytes that TLS already holds are read in the next turn of the loop.
    package func resumeReading() {
        switch machine.resumeRequested() {
        case .read: beginReading()
        case .none: break
        }
    }

    /// Acknowledges the received bytes at once, for a peer that sends no more until then.
    ///
    /// Costs a system call. Does nothing on a Unix socket.
    package func acknowledgeNow() {
        guard !isClosed else { return }
        _ = attache_socket_acknowledge(wire.descriptor)
    }

    /// Arms the read event, and checks TLS, whose buffered bytes raise no event.
    func beginReading() {
        readEvent?.add()
        if let tls = wire.tls, tls.mayHoldMore { loop.readNextTurn(self) }
    }

    /// Delivers the bytes of one read now, without an event of the loop; traps inside a `streamReceived` of any
    /// connection.
    package func readNow() { readable() }

    /// Called by the loop when bytes may be ready.
    func readable() {
        guard machine.isReading else { return }
        switch wire.receive(upTo: Int(readSize), on: loop) {
        case .bytes(let count): received(count)
        case .wouldBlock: break
        case .mustSendFirst: watchWriting()
        case .ended: ended()
        case .failed(let number): fail(failure(number))
        }
    }

    private func received(_ count: Int) {
        let mayHoldMore = count == Int(readSize)
        machine.bytesReceived(mayHoldMore: mayHoldMore)
        if mayHoldMore, readSize < EventLoop.readCapacity { readSize *= 2 }
        loop.lendReadBuffer(count) { listener?.streamReceived($0) }
        guard let tls = wire.tls, tls.mayHoldMore else { return }
        // Only the end that was seen after the bytes is left, or the rest of a full buffer. For the latter, other
        // connections are served first. Both check again whether the delegate still reads.
        if tls.isOver { readable() } else { loop.readNextTurn(self) }
    }

    private func ended() {
        switch machine.peerEnded(brokenPipe: Self.brokenPipe) {
        case .tell: tellEnd()
        case .tellAndFail(let number):
            tellEnd()
            failLater(number)
        case .fail(let number): fail(failure(number))
        }
    }

    private func tellEnd() {
        readEvent?.remove()
        listener?.streamEnded()
    }
}
