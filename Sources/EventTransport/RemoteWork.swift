import CLibevent
import Glibc

/// Work that other threads leave for a loop, and the eventfd that wakes it.
///
/// The one place of a loop that is shared: everything inside is behind one lock.
final class RemoteWork: Sendable {
    /// Readable while work waits.
    let descriptor: Int32
    private let waiting = Locked<[LoopWork]>([])

    init() throws(TransportError) {
        descriptor = attache_eventfd()
        guard descriptor >= 0 else {
            throw TransportError(system: Glibc.errno, "cannot make the eventfd of an event loop")
        }
    }

    deinit { close(descriptor) }

    /// Any thread.
    func append(_ item: LoopWork) {
        let wasEmpty = waiting.withLock { waiting in
            waiting.append(item)
            return waiting.count == 1
        }
        // Whoever finds work waiting knows that its first bearer has rung or is about to.
        if wasEmpty { eventfd_write(descriptor, 1) }
    }

    /// Called on the loop's thread.
    ///
    /// The bell is stilled first: work that comes afterwards rings anew.
    func take(into work: inout [LoopWork]) {
        var count: eventfd_t = 0
        // SAFETY: the count is lent for the call.
        unsafe _ = eventfd_read(descriptor, &count)
        waiting.withLock { waiting in
            work += waiting
            waiting.removeAll(keepingCapacity: true)
        }
    }
}
