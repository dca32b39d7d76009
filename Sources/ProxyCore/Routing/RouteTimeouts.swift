/// A route's own timeouts for its backend; nil keeps the value from `limits`.
package struct RouteTimeouts: Equatable, Sendable {
    /// Replaces `limits.responseTimeout`.
    package var response: Duration?
    /// Replaces `limits.streamIdleTimeout`.
    package var streamIdle: Duration?
    /// Replaces `limits.tunnelIdleTimeout`.
    package var tunnelIdle: Duration?

    package init(response: Duration? = nil, streamIdle: Duration? = nil, tunnelIdle: Duration? = nil) {
        self.response = response
        self.streamIdle = streamIdle
        self.tunnelIdle = tunnelIdle
    }
}
