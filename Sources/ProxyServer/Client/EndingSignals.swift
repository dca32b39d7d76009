import EventTransport
import Glibc

/// The signals that end a command, caught so that a new refresh token is not lost.
enum EndingSignals {
    /// Catches the signals for as long as the caller keeps the result.
    ///
    /// - Parameters:
    ///   - loop: The command's loop.
    ///   - received: Called on the loop with the signal's name.
    /// - Returns: The sources of the signals.
    /// - Throws: If the system has no descriptor left for them.
    static func catching(
        on loop: EventLoop, _ received: @escaping (_ name: String) -> Void
    ) throws(TransportError) -> [SignalSource] {
        var sources: [SignalSource] = []
        for (signal, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")] {
            sources.append(try SignalSource(signal, loop: loop) { received(name) })
        }
        return sources
    }
}
