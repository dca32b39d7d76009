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
    /// For the backend's whole head, then between two pieces of its body; also for it to take something of a request.
    package var upstreamTimeout: Duration = .seconds(30)
    /// A connection of an app without a request, or without reading anything of an answer.
    package var idleTimeout: Duration = .seconds(75)
    /// How long a request waits for a token.
    package var acquireTimeout: Duration = .seconds(10)
    /// How much of a request's body is kept to send it once more with another token: 0 to 1 MiB.
    package var replayBytes = 65_536

    package init() {}
}
