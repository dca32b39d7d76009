import CLibevent
import Glibc
private import Locking

/// Work that other threads leave for a loop, and the eventfd that wakes it.
///
/// The one place of a loop that is shared: everything inside is behind one lock.
final class RemoteWork: Sendable {
    /// Readable while work waits.
    let descriptor: Int32
    private let waiting = Locked<[LoopWork]>([])
    /// False after the loop's end: work would wait for ever, and keep what it holds.
    private let isOpen = Locked(true)

    init() throws(TransportError) {
        descriptor = attache_eventfd()
        guard descriptor >= 0 else {
            throw TransportError(system: Glibc.errno, "cannot make the eventfd of an event loop")
        }
    }

    deinit { Glibc.close(descriptor) }

    func open() { isOpen.withLock { $0 = true } }

    func close() { isOpen.withLock { $0 = false } }

    /// Drops the item after the loop's end; any thread.
    func append(_ item: LoopWork) {
        guard isOpen.withLock(\.self) else { return }
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
