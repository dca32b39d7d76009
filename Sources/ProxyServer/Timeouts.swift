import EventTransport
import ProxyCore

/// The limits of time that apps meet, in nanoseconds, so that none is worked out twice.
struct Timeouts {
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
