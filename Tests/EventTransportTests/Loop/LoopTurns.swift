import Testing

@testable import EventTransport

extension EventLoop {
    /// Ends what still goes on in the background.
    func finish() {
        stop()
        run()
    }

    /// Runs the loop on the calling thread, turn by turn, until the condition holds; fails after a minute.
    ///
    /// The condition may depend on other threads, which do not wake the loop.
    func runUntil(
        _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var isTooLate = false
        let watchdog = Timer(loop: self) { isTooLate = true }
        watchdog.schedule(after: .seconds(60))
        var poll: Timer?
        poll = Timer(loop: self) { poll?.schedule(after: .milliseconds(10)) }
        poll?.schedule(after: .milliseconds(10))
        defer { poll = nil }
        adopt()
        while !condition(), !isTooLate { runTurn() }
        if isTooLate { Issue.record("the loop waited for this in vain", sourceLocation: sourceLocation) }
    }
}
