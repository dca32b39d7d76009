/// What a route wants of TLS towards its upstream, beyond the verification that always happens.
package struct UpstreamTLS: Hashable, Sendable {
    /// A PEM file of the authorities to trust instead of the system's.
    package let caFile: String?
    /// The name to ask for and to verify instead of the upstream's host.
    package let serverName: String?

    package init(caFile: String? = nil, serverName: String? = nil) {
        self.caFile = caFile
        self.serverName = serverName
    }
}
