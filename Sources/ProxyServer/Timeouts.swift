import EventTransport
import ProxyCore

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
