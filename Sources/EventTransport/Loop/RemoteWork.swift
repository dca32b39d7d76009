import CLibevent
import Glibc
private import Locking

/// Work that other threads leave for a loop, and the eventfd that wakes it.
///
/// The only shared part of a loop: all changing state is behind one lock.
final class RemoteWork: Sendable {
    private struct State {
        var waiting: [LoopWork] = []
        /// False after the loop's end, when work would wait for ever and keep its objects alive.
        var isOpen = true
    }

    /// The eventfd; readable while work waits.
    let descriptor: Int32
    private let state = Locked(State())

    init() throws(TransportError) {
        descriptor = attache_eventfd()
        guard descriptor >= 0 else {
            throw TransportError(system: Glibc.errno, "cannot make the eventfd of an event loop")
        }
    }

    deinit {
        Glibc.close(descriptor)
        // No one else releases what a loop that never ran was to release.
        for case .release(let reference) in state.withLock(\.waiting) { reference.release() }
    }

    func open() { state.withLock { $0.isOpen = true } }

    /// Takes the last work and refuses later work.
    func close(into work: inout [LoopWork]) {
        state.withLock { state in
            state.isOpen = false
            work += state.waiting
            state.waiting = []
        }
    }

    /// Accepts the item, unless the loop has ended; any thread.
    ///
    /// - Returns: false if the item is dropped.
    @discardableResult
    func append(_ item: LoopWork) -> Bool {
        let place = state.withLock { state -> Int? in
            guard state.isOpen else { return nil }
            state.waiting.append(item)
            return state.waiting.count
        }
        // If work waits already, the thread that brought the first item has woken the loop or is about to.
        if place == 1 { eventfd_write(descriptor, 1) }
        return place != nil
    }

    /// Takes the waiting work; called on the loop's thread.
    ///
    /// The eventfd is reset first, so that later work wakes the loop again.
    func take(into work: inout [LoopWork]) {
        var count: eventfd_t = 0
        // SAFETY: the count is lent for the call.
        unsafe _ = eventfd_read(descriptor, &count)
        state.withLock { state in
            work += state.waiting
            state.waiting.removeAll(keepingCapacity: true)
        }
    }
}
