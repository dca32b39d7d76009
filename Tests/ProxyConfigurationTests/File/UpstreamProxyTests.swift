import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@Suite("The parent proxies of a configuration")
struct UpstreamProxyTests {
    private static let plain = UpstreamProxy(host: "p.example", port: 3128)

    @Test("are read as they are written")
    func values() throws {
        let configuration = try load(
            """
            upstreamProxy:
              url: "http://P.example:3128/"
              username: me
              password: { file: /secret }
              allowPlaintext: true
              noProxy: [a.example, "*.B.example", "c.example:8443", 10.0.0.0/8, "2001:db8::1", "[2001:db8::2]:80"]
              tunnel: true
            tokenServerProxy: "http://[::1]:1"
            unmatched: forward
            """)
        typealias Exception = UpstreamProxy.Exception
        let network = try Network("10.0.0.0/8")
        #expect(
            configuration.upstreamProxy
                == UpstreamProxy(
                    host: "p.example", port: 3128,
                    credentials: .init(username: "me", password: .file(path: "/secret")),
                    noProxy: [
                        Exception(hosts: .pattern(.exact("a.example"))),
                        Exception(hosts: .pattern(.suffix(".b.example"))),
                        Exception(hosts: .pattern(.exact("c.example")), port: 8443),
                        Exception(hosts: .network(network)), Exception(hosts: .pattern(.exact("2001:db8::1"))),
                        Exception(hosts: .pattern(.exact("2001:db8::2")), port: 80),
                    ], tunnelsAll: true))
        #expect(configuration.tokenServerProxy == UpstreamProxy(host: "::1", port: 1))
    }

    @Test("are none by default")
    func none() throws {
        let configuration = try load("unmatched: forward\nroutes: [{ match: { host: a.example } }]\n")
        #expect(configuration.upstreamProxy == nil && configuration.tokenServerProxy == nil)
        #expect(configuration.routes.first?.upstreamProxy == nil)
    }

    @Test(
        "A route has its own proxy, that of all routes, or none",
        arguments: [
            ("", plain), ("upstreamProxy: none", nil),
            ("upstreamProxy: http://q.example:1", UpstreamProxy(host: "q.example", port: 1)),
            (
                "upstreamProxy: { url: http://p.example:3128, noProxy: [a.example] }",
                UpstreamProxy(host: "p.example", port: 3128, noProxy: [.init(hosts: .pattern(.exact("a.example")))])
            ),
        ])
    func route(_ own: String, _ expected: UpstreamProxy?) throws {
        let route = "routes: [{ match: { host: a.example }\(own.isEmpty ? "" : ", \(own)") }]\n"
        let configuration = try load(route + "upstreamProxy: http://p.example:3128\n")
        #expect(configuration.routes.map(\.upstreamProxy) == [expected])
        #expect(configuration.upstreamProxy == Self.plain)
    }

    @Test("Backends of the command line use the proxy of all routes")
    func options() throws {
        var flags = Flags()
        flags.backends = ["https://a.example"]
        let configuration = try load(
            "upstreamProxy: http://p.example:3128\ncredentials: { x: { type: file, path: /token } }\n", flags: flags)
        #expect(configuration.routes.map(\.upstreamProxy) == [Self.plain])
    }
}
