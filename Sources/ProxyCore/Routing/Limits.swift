/// The bounds that keep one client or backend from using up the proxy.
package struct Limits: Equatable, Sendable {
    /// Of a request or response head, in bytes: 1024 to 1 MiB.
    package var headBytes = 65_536
    /// Field lines in a head: 1 to 128.
    package var fieldCount = 100
    /// Connections from apps, over all workers.
    package var connections = 10_000
    /// From the first byte of a head to its end.
    package var headTimeout: Duration = .seconds(10)
    /// For the next KiB of a request body, or for its rest.
    package var bodyTimeout: Duration = .seconds(30)
    /// Name resolution, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(5)
    /// From a request's end to the end of the final response's head, and for a backend that reads nothing of a request.
    ///
    /// Long polls and feeds stay silent for 60 s.
    package var responseTimeout: Duration = .seconds(75)
    /// The longest silence inside a backend's body, as feeds and event streams know it.
    package var streamIdleTimeout: Duration = .seconds(300)
    /// A connection of an app without a request, or without reading anything of an answer.
    package var idleTimeout: Duration = .seconds(75)
    /// How long a request waits for a token.
    package var acquireTimeout: Duration = .seconds(10)
    /// A longer request body, its chunked framing included, is never sent again: 0 to 1 MiB.
    package var replayBytes = 65_536

    package init() {}

    /// How long a token server may take to answer: `responseTimeout`, but no longer than any token server needs.
    package var tokenServerTimeout: Duration { min(responseTimeout, .seconds(30)) }
}
