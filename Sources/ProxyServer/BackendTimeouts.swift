import EventTransport
import ProxyCore

/// How long a backend may take, by its route or else by the limits.
struct BackendTimeouts {
    /// One of them, with the name of the setting that says it.
    struct Limit: CustomStringConvertible {
        let nanoseconds: Int64
        private let setting: StaticString

        init(_ duration: Duration, _ setting: StaticString) {
            nanoseconds = duration.nanoseconds
            self.setting = setting
        }

        var description: String { "\(Duration.nanoseconds(nanoseconds)) (\(setting))" }
    }

    /// From a request's end to the end of its final response's head; also to take something of a request.
    let response: Limit
    /// To send the next piece of a response's body.
    let streamIdle: Limit

    init(_ limits: Limits, _ route: RouteTimeouts = RouteTimeouts()) {
        response =
            route.response.map { Limit($0, "timeouts.response of its route") }
            ?? Limit(limits.responseTimeout, "limits.responseTimeout")
        streamIdle =
            route.streamIdle.map { Limit($0, "timeouts.streamIdle of its route") }
            ?? Limit(limits.streamIdleTimeout, "limits.streamIdleTimeout")
    }
}
