import CLibevent
import Glibc

/// A closed connection without a delegate that still has bytes to send, or whose peer has yet to end.
///
/// Sends the remaining bytes and the end, then waits for the peer's end and drops what it sends meanwhile. Closing
/// with unread bytes makes the kernel send a reset, which may overtake the last bytes on the way to the peer (RFC
/// 9112 9.6). Confined to the loop's thread; the loop holds it until it has ended. Owns the descriptor.
final class LingeringClose {

    /// The interval of the checks; a peer that has taken everything gets until the next check to end.
    private static let look = Duration.seconds(2)
    /// A peer that takes nothing in this many intervals is considered gone.
    private static let looksInVain = 5
    private static let droppedByteLimit = 1 << 20

    private let loop: EventLoop
    private let wire: StreamWire
    private var queue: WriteQueue
    private let look: Duration
    /// The number of bytes that the peer had not acknowledged at the last check.
    private var unacknowledged = Int.max
    private var looksInVain = 0
    private(set) var droppedByteCount = 0
    private var hasPeerEnded = false
    private var sending: ReadinessWatch?
    private var dropping: ReadinessWatch?
    private var limit: Timer?

    init(_ wire: StreamWire, _ queue: consuming WriteQueue, on loop: EventLoop, look: Duration = look) {
        self.look = look
        self.loop = loop
        self.wire = wire
        self.queue = queue
    }

    func begin() {
        guard !loop.hasStopped else { return wire.close() }
        loop.lingering[ObjectIdentifier(self)] = self
        let limit = Timer(loop: loop) { [unowned self] in lookForProgress() }
        limit.schedule(after: look)
        self.limit = limit
        dropping = ReadinessWatch(loop: loop, descriptor: wire.descriptor, Event.read) { [unowned self] in drop() }
        dropping?.start()
        send()
    }

    /// Closes the descriptor at once.
    func abandon() {
        guard loop.lingering.removeValue(forKey: ObjectIdentifier(self)) != nil else { return }
        sending?.end()
        dropping?.end()
        sending = nil
        dropping = nil
        limit = nil
        wire.close()
        loop.lingeringEnded()
    }

    private func send() {
        if !queue.isEmpty {
            // SAFETY: the bytes are lent for the call.
            let outcome = unsafe queue.withBytes { bytes in
                unsafe wire.send(bytes, UnsafeRawBufferPointer(start: nil, count: 0), on: loop)
            }
            switch outcome {
            case .sent(let count): queue.removeFirst(count, on: loop)
            case .failed: return abandon()
            }
        }
        guard queue.isEmpty, wire.endSending() else { return watchSending() }
        sending?.end()
        sending = nil
        // Over TLS, the end of the records does not end the stream.
        if wire.tls != nil { shutdown(wire.descriptor, Int32(SHUT_WR)) }
        // Nothing unread is left, so the kernel sends the rest and the end after the close too.
        if hasPeerEnded { abandon() }
    }

    private func lookForProgress() {
        let left = queue.count + wire.unacknowledgedByteCount
        // A slow reader still reads.
        looksInVain = left < unacknowledged ? 0 : looksInVain + 1
        guard left > 0, looksInVain < Self.looksInVain else { return abandon() }
        unacknowledged = left
        limit?.schedule(after: look)
    }

    private func watchSending() {
        guard sending == nil else { return }
        sending = ReadinessWatch(loop: loop, descriptor: wire.descriptor, Event.write) { [unowned self] in send() }
        sending?.start()
    }

    private func drop() {
        // Below TLS: no one needs the decrypted bytes. SAFETY: the buffer is the loop's own and of that capacity; it
        // is not lent out.
        let count = unsafe recv(wire.descriptor, loop.readBuffer.baseAddress, EventLoop.readCapacity, 0)
        if count > 0 {
            droppedByteCount += count
            // Further bytes wait in the kernel: closing now would cost the peer the part of the response that it has
            // not read.
            if droppedByteCount > Self.droppedByteLimit { dropping?.stop() }
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            // While bytes are unsent, the peer may only have half-closed.
            hasPeerEnded = count == 0
            if hasPeerEnded, !queue.isEmpty { dropping?.stop() } else { abandon() }
        }
    }
}
