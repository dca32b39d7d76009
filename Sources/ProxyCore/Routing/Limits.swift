/// The limits that keep one client or backend from exhausting the proxy.
package struct Limits: Equatable, Sendable {
    /// The size of a request or response head in bytes: 1024 to 1 MiB.
    package var headBytes = 65_536
    /// The number of field lines in a head: 1 to 128.
    package var fieldCount = 100
    /// The number of connections from apps, over all workers.
    package var connections = 10_000
    /// The time from the first byte of a head to its end.
    package var headTimeout: Duration = .seconds(10)
    /// The time for the next KiB of a request body, or for its rest.
    package var bodyTimeout: Duration = .seconds(30)
    /// The time for name resolution, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(5)
    /// The time from a request's end to the end of the final response's head, and for a backend that reads nothing of
    /// a request.
    ///
    /// The default exceeds the 60 s for which long polls and feeds stay silent.
    package var responseTimeout: Duration = .seconds(75)
    /// The longest silence in a backend's body, long enough for feeds and event streams.
    package var streamIdleTimeout: Duration = .seconds(300)
    /// The time for which an app's connection may have no request, or may read nothing of a response.
    package var idleTimeout: Duration = .seconds(75)
    /// The time for which neither side of a tunnel may send or take anything.
    package var tunnelIdleTimeout: Duration = .seconds(300)
    /// The time for a whole tunnel, however busy: what it was opened with may have been revoked.
    package var tunnelTimeout: Duration = .seconds(86_400)
    /// The time for which a request waits for a token.
    package var acquireTimeout: Duration = .seconds(10)
    /// The largest request body that may be sent again, in bytes with its chunked framing: 0 to 1 MiB.
    package var replayBytes = 65_536

    package init() {}

    /// How long a token server may take to answer: `responseTimeout`, but at most 30 s, which suffices for any token
    /// server.
    package var tokenServerTimeout: Duration { min(responseTimeout, .seconds(30)) }
}
