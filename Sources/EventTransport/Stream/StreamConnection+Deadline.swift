extension StreamConnection {
    /// When `streamDeadlinePassed` is called, once; nil for never.
    ///
    /// Moving the deadline later or removing it costs next to nothing: the loop's queue wakes the connection early, and the
    /// connection reads the deadline and asks again.
    package var deadline: MonotonicInstant? {
        get { due == .distantFuture ? nil : due }
        set {
            guard !isClosed else { return }
            due = newValue ?? .distantFuture
            if due < armed { armDeadline() }
        }
    }

    // Not inlined into the setter, which each request calls several times and which seldom gets here.
    @inline(never)
    private func armDeadline() {
        armed = due
        loop.deadlines.wake(self, at: due)
    }

    /// Called by the loop's queue, which has forgotten the connection.
    func deadlineElapsed() {
        armed = .distantFuture
        guard !isClosed, due != .distantFuture else { return }
        guard loop.now >= due else { return armDeadline() }
        due = .distantFuture
        listener?.streamDeadlinePassed()
    }
}
