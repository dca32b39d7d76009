import Testing

@testable import EventTransport

extension EventLoop {
    /// Ends what still goes on in the background.
    func finish() {
        stop()
        run()
    }

    /// Runs the loop on the calling thread, turn by turn, until the condition holds; fails after a minute.
    func runUntil(
        _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var isTooLate = false
        let watchdog = Timer(loop: self) { isTooLate = true }
        watchdog.schedule(after: .seconds(60))
        adopt()
        while !condition(), !isTooLate { runTurn() }
        if isTooLate { Issue.record("the loop waited for this in vain", sourceLocation: sourceLocation) }
    }
}
