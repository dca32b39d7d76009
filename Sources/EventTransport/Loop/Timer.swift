// SAFETY: the event's context is the timer whose stored property the event is.
/// Calls a closure once at an instant; it may be scheduled again at any time, also from inside the closure.
///
/// Confined to the loop's thread. Its release cancels it. It never fires early.
@safe
package final class Timer {
    private let loop: EventLoop
    private let fire: () -> Void
    private var event: Event?
    /// The scheduled instant; nil if there is none.
    private var due: MonotonicInstant?

    package init(loop: EventLoop, _ fire: @escaping () -> Void) {
        self.loop = loop
        self.fire = fire
        // SAFETY: the event is a stored property of this timer.
        event = unsafe Event(on: loop, 0, timerElapsed, Unmanaged.passUnretained(self).toOpaque())
    }

    package func schedule(after delay: Duration) { schedule(at: loop.now + delay) }

    /// Replaces the scheduled instant; one that has passed fires in the next turn of the loop.
    package func schedule(at instant: MonotonicInstant) {
        due = instant
        event?.add(after: instant.nanoseconds(since: loop.now))
    }

    package func cancel() {
        guard due != nil else { return }
        due = nil
        event?.remove()
    }

    fileprivate func elapsed() {
        guard let due else { return }
        // libevent counts from the start of the turn that armed the timer, but `now` from its first use in that turn.
        guard loop.now >= due else {
            event?.add(after: due.nanoseconds(since: loop.now))
            return
        }
        self.due = nil
        fire()
    }
}

// SAFETY: `context` is the timer whose stored property the event is, so it lives.
private func timerElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Timer>.fromOpaque(context).takeUnretainedValue().elapsed()
}
