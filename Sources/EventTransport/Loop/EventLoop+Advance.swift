import CLibevent
import Synchronization

extension EventLoop {
    /// `now` as an instant of the standard library; any thread.
    package var continuousNow: ContinuousClock.Instant {
        ContinuousClock.now + .nanoseconds(ahead.load(ordering: .relaxed))
    }

    /// Moves this loop's clock on and checks every timer, in no order, so that tests of deadlines need not wait.
    ///
    /// Loop thread only. The time passes for the tokens of this loop too, but not on the system's clocks.
    package func advance(by duration: Duration) {
        preconditionCurrent()
        ahead.add(duration.nanoseconds, ordering: .relaxed)
        forgetNow()
        // SAFETY: the base lives as long as self, only this thread touches it, and the array is lent for the call.
        var timed: [OpaquePointer] = unsafe []
        unsafe withUnsafeMutablePointer(to: &timed) {
            _ = unsafe event_base_foreach_event(base.pointer, collectTimed, UnsafeMutableRawPointer($0))
        }
        // SAFETY: an event is freed by this thread only, and no callback runs before this ends.
        // The owner of a timer compares its instant with `now`, and arms it again if it comes too early.
        while let event = unsafe timed.popLast() { unsafe event_active(event, Int32(EV_TIMEOUT), 0) }
    }
}

// SAFETY: `list` is the array that `advance(by:)` lends.
private func collectTimed(_: OpaquePointer?, _ event: OpaquePointer?, _ list: UnsafeMutableRawPointer?) -> Int32 {
    guard let event = unsafe event, let list = unsafe list else { return 0 }
    if unsafe event_pending(event, Int16(EV_TIMEOUT), nil) != 0 {
        unsafe list.assumingMemoryBound(to: [OpaquePointer].self).pointee.append(event)
    }
    return 0
}
