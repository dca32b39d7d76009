import EventTransport
import ProxyCore

/// The timeouts for a backend, from its route or else from `limits`.
struct BackendTimeouts {
    /// A timeout with the name of its setting.
    struct Limit: CustomStringConvertible {
        let nanoseconds: Int64
        private let setting: StaticString

        init(_ duration: Duration, _ setting: StaticString) {
            nanoseconds = duration.nanoseconds
            self.setting = setting
        }

        var description: String { "\(Duration.nanoseconds(nanoseconds).settingText) (\(setting))" }
    }

    /// The time from the end of a request to the end of the final response's head; also how long a backend may read
    /// nothing of a request.
    let response: Limit
    /// How long a backend may be silent inside a response's body.
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

extension BackendTimeouts.Limit {
    /// How long neither side of a tunnel may send or take anything.
    static func tunnelIdle(_ limits: Limits, _ route: RouteTimeouts) -> Self {
        route.tunnelIdle.map { Self($0, "timeouts.tunnelIdle of its route") }
            ?? Self(limits.tunnelIdleTimeout, "limits.tunnelIdleTimeout")
    }

    /// How long a tunnel may exist.
    static func tunnel(_ limits: Limits) -> Self { Self(limits.tunnelTimeout, "limits.tunnelTimeout") }
}

/// The timeouts for apps in nanoseconds, converted once.
///
/// A class, so that each connection holds one reference.
final class Timeouts: Sendable {
    let head: Int64
    let body: Int64
    let idle: Int64
    let acquire: Int64

    init(_ limits: Limits) {
        head = limits.headTimeout.nanoseconds
        body = limits.bodyTimeout.nanoseconds
        idle = limits.idleTimeout.nanoseconds
        acquire = limits.acquireTimeout.nanoseconds
    }
}
