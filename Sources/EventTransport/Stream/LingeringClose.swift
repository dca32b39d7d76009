import CLibevent
import Glibc

/// A connection that nobody hears any more and that still has something to say, or to be heard out.
///
/// Sends what is left and the end, then waits for the peer's end and drops what it sends meanwhile: closing on
/// unread bytes makes the kernel send a reset, which may overtake our last bytes at the peer (RFC 9112 9.6).
/// Confined to the loop's thread; the loop holds it until it is over. Owns the descriptor.
final class LingeringClose {

    /// A peer that has all is waited for until the next look.
    private static let look = Duration.seconds(2)
    /// One that takes nothing from one look to the next, and so often, has gone, or does not matter.
    private static let looksInVain = 5
    private static let droppedByteLimit = 1 << 20

    private let loop: EventLoop
    private let wire: StreamWire
    private var queue: WriteQueue
    private let look: Duration
    /// What the peer had yet to take when it was last looked at.
    private var unacknowledged = Int.max
    private var looksInVain = 0
    private(set) var droppedByteCount = 0
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

    /// Closes at once.
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
        // Over TLS the end of the records is not the end of the stream.
        if wire.tls != nil { shutdown(wire.descriptor, Int32(SHUT_WR)) }
    }

    private func lookForProgress() {
        let left = queue.count + wire.unacknowledgedByteCount
        // A slow reader is still a reader.
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
        // Past TLS: nobody wants to know what the bytes say.
        // SAFETY: the buffer is the loop's own and of that capacity; nobody is lent it.
        let count = unsafe recv(wire.descriptor, loop.readBuffer.baseAddress, EventLoop.readCapacity, 0)
        if count > 0 {
            droppedByteCount += count
            // What comes now waits in the kernel: closing on it would cost the peer what it has not read of our answer.
            if droppedByteCount > Self.droppedByteLimit { dropping?.stop() }
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            // With our own bytes unsent the peer may have half-closed only.
            if count == 0, !queue.isEmpty { dropping?.stop() } else { abandon() }
        }
    }
}
