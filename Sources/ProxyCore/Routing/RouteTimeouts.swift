/// What a route has in place of the limits of time that its backend meets; nil leaves the limit as it is.
package struct RouteTimeouts: Equatable, Sendable {
    /// In place of `limits.responseTimeout`.
    package var response: Duration?
    /// In place of `limits.streamIdleTimeout`.
    package var streamIdle: Duration?

    package init(response: Duration? = nil, streamIdle: Duration? = nil) {
        self.response = response
        self.streamIdle = streamIdle
    }
}
