import ProxyConfiguration
import ProxyCore
import Testing

@Suite("The TLS settings of a route with those of all routes")
struct RouteTLSTests {
    private static let own = ClientCertificateFiles(certificate: "/rsa-certificate.pem", privateKey: "/rsa.pem")
    private static let pair = "clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem"

    /// What a route's own `tls` makes of defaults with a CA file, and of defaults with a client certificate.
    private static let cases: [(own: String, ofAuthority: UpstreamTLS, ofCertificate: UpstreamTLS)] = [
        ("", UpstreamTLS(caFile: "/ca.pem"), UpstreamTLS(clientCertificate: own)),
        ("tls: {}", UpstreamTLS(caFile: "/ca.pem"), UpstreamTLS(clientCertificate: own)),
        (
            "tls: { serverName: b.example }", UpstreamTLS(caFile: "/ca.pem", serverName: "b.example"),
            UpstreamTLS(serverName: "b.example", clientCertificate: own)
        ),
        (
            "tls: { caFile: /rsa-certificate.pem }", UpstreamTLS(caFile: "/rsa-certificate.pem"),
            UpstreamTLS(caFile: "/rsa-certificate.pem", clientCertificate: own)
        ),
        ("tls: { caFile: system }", UpstreamTLS(), UpstreamTLS(clientCertificate: own)),
        ("tls: { clientCertificate: none }", UpstreamTLS(caFile: "/ca.pem"), UpstreamTLS()),
        (
            "tls: { \(pair) }", UpstreamTLS(caFile: "/ca.pem", clientCertificate: own),
            UpstreamTLS(clientCertificate: own)
        ),
        // Without TLS, the defaults mean nothing.
        ("upstream: http://a.example", UpstreamTLS(), UpstreamTLS()),
    ]

    @Test("A route's own values win, key by key", arguments: cases)
    func merged(own: String, ofAuthority: UpstreamTLS, ofCertificate: UpstreamTLS) throws {
        #expect(try route(own, "tls: { caFile: /ca.pem }") == ofAuthority)
        #expect(try route(own, "tls: { \(Self.pair) }") == ofCertificate)
        #expect(try route(own, "tls: { caFile: /ca.pem }", comesFirst: true) == ofAuthority)
    }

    @Test("Backends of the command line have the settings of all routes too")
    func options() throws {
        let text = "credentials: { x: { type: file, path: /token } }\ntls: { caFile: /ca.pem }\n"
        var flags = Flags()
        flags.backends = ["https://a.example", "http://127.0.0.1:1"]
        flags.gateways = ["127.0.0.1:2=https://b.example"]
        let routes = try load(text, flags: flags).routes
        #expect(routes.map(\.tls) == [UpstreamTLS(caFile: "/ca.pem"), UpstreamTLS(), UpstreamTLS(caFile: "/ca.pem")])
    }

    private func route(_ own: String, _ defaults: String, comesFirst: Bool = false) throws -> UpstreamTLS {
        let route = "routes: [{ match: { host: a.example }\(own.isEmpty ? "" : ", \(own)") }]"
        let lines = comesFirst ? [defaults, route] : [route, defaults]
        return try #require(load(lines.joined(separator: "\n") + "\n").routes.first).tls
    }
}
