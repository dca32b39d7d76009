import ProxyConfiguration
import ProxyCore
import Support
import Testing

@testable import ProxyServer

@Suite("Whether the examination's request goes by a route")
struct UnitRouteTrialTests {
    private static let yaml = """
        listeners:
        - { address: "127.0.0.1:1" }
        - { address: "127.0.0.1:2", mode: gateway, route: gate }
        - { address: "127.0.0.1:3", routes: [other] }
        routes:
        - { name: ra, match: { host: a.test, pathPrefix: /a/ }, upstream: "https://a.example" }
        - { name: rb, match: { host: a.test }, upstream: "https://b.example" }
        - { name: post, match: { host: p.test, methods: [POST] }, upstream: "https://p.example" }
        - { name: port, match: { host: "*.n.test", port: 8080 }, upstream: "https://n.example" }
        - { name: gate, match: { host: g.test, pathPrefix: /g }, upstream: "https://g.example" }
        - { name: other, match: { host: a.test, pathPrefix: /a/ }, upstream: "https://c.example" }

        """

    @Test(
        "A route takes what the routing table of a listener gives it, and nothing else",
        arguments: [
            ("ra", "/a/x", nil), ("ra", "/b/secret", "route rb takes GET /b/secret"),
            ("ra", "/", "route rb takes GET /"),
            ("rb", "/", nil), ("rb", "/a/x", "route ra takes GET /a/x"), ("rb", "/a/../x", nil),
            ("post", "/", "this route does not take GET /: it takes the method POST"), ("port", "/", nil),
            ("gate", "/g/x?y=z", nil),
            ("gate", "/", "this route does not take GET /: it takes paths below /g"), ("other", "/a/x", nil),
            ("other", "/b", "route rb takes GET /b"),
        ] as [(String, String, String?)])
    func obstacle(route: String, path: String, expected: String?) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var flags = Flags()
        flags.configurationFile = try directory.write(Self.yaml, to: "attache.yaml")
        let configuration = try Configuration.load(flags: flags, environment: [:])
        let trial = RouteTrial(configuration: configuration, request: try Doctor.Request(method: "GET", path: path))
        let examined = try #require(configuration.routes.first { $0.name == route })
        #expect(trial.obstacle(to: examined) == expected)
    }
}
