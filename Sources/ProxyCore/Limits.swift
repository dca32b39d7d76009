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
    /// Between two pieces of a request body.
    package var bodyTimeout: Duration = .seconds(30)
    /// Name resolution, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(5)
    /// For the backend's head, and between two pieces of its body.
    package var upstreamTimeout: Duration = .seconds(30)
    /// A connection of an app without a request.
    package var idleTimeout: Duration = .seconds(75)
    /// How long a request waits for a token.
    package var acquireTimeout: Duration = .seconds(10)

    package init() {}
}
