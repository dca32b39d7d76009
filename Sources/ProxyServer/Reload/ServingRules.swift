import EventTransport
import HTTPWire
import ProxyConfiguration
import ProxyCore

/// What one configuration decides about the requests of one worker; a reload replaces it as a whole.
///
/// Confined to the worker's loop. An exchange keeps the rules that it began with.
final class ServingRules {
    /// The serial number of the configuration.
    let serial: Int
    let limits: Limits
    let timeouts: Timeouts
    /// The timeouts of a request without a route.
    let backendTimeouts: BackendTimeouts
    let headLimits: HeadLimits
    let router: Router
    /// Called when no exchange has the rules any more.
    var released: (() -> Void)?

    /// - Throws: If a CA file or a client certificate is unusable.
    init(
        _ served: ServedConfiguration, _ files: ServedFiles, endpoints: UpstreamEndpoints, via: ViaName
    ) throws(TransportError) {
        let configuration = served.configuration
        serial = served.serial
        limits = configuration.limits
        timeouts = Timeouts(limits)
        backendTimeouts = BackendTimeouts(limits)
        headLimits = HeadLimits(headBytes: limits.headBytes, fieldCount: limits.fieldCount)
        router = try Router(
            table: served.routes, credentials: configuration.credentials, limits: limits, endpoints: endpoints,
            upstreamProxy: configuration.upstreamProxy, via: via, numbers: served.numbers, files: files)
    }

    deinit { released?() }
}
