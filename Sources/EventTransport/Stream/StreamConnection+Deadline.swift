extension StreamConnection {
    /// When `streamDeadlinePassed` is called, once; nil for never.
    ///
    /// Moving the deadline later or removing it needs no call to libevent: the armed timer fires early, reads the
    /// deadline and arms itself again.
    package var deadline: MonotonicInstant? {
        get { due == .distantFuture ? nil : due }
        set {
            guard !isClosed else { return }
            due = newValue ?? .distantFuture
            if due < armed { armDeadline() }
        }
    }

    private func armDeadline() {
        if deadlineEvent == nil {
            // SAFETY: the event is a stored property of this connection.
            deadlineEvent = unsafe Event(
                on: loop, 0, streamDeadlineElapsed, Unmanaged.passUnretained(self).toOpaque())
        }
        armed = due
        deadlineEvent?.add(after: due.nanoseconds(since: loop.now))
    }

    fileprivate func deadlineElapsed() {
        armed = .distantFuture
        guard !isClosed, due != .distantFuture else { return }
        guard loop.now >= due else { return armDeadline() }
        due = .distantFuture
        listener?.streamDeadlinePassed()
    }
}

// SAFETY: `context` is the connection whose stored property the event is, so it lives.
private func streamDeadlineElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamConnection>.fromOpaque(context).takeUnretainedValue().deadlineElapsed()
}
