import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing

@Suite("Gateways without a file")
struct GatewayOptionTests {
    private func started(
        _ gateways: [String], _ environment: [String: String] = [:], _ change: (inout Flags) -> Void = { _ in }
    ) throws(ConfigurationError) -> Configuration {
        try start(flags(gateways, change), environment)
    }

    private func flags(_ gateways: [String], _ change: (inout Flags) -> Void = { _ in }) -> Flags {
        var flags = Flags()
        flags.gateways = gateways
        flags.tokenFile = "/token"
        change(&flags)
        return flags
    }

    @Test("A gateway alone is the only listener, and its route is for gateways only")
    func alone() throws {
        let configuration = try started(["127.0.0.1:3129=https://API.example:8443/v2/"])
        #expect(
            configuration.listeners == [
                ListenerConfiguration(host: "127.0.0.1", port: 3129, mode: .gateway(route: "api.example:8443"))
            ])
        #expect(
            configuration.routes == [
                Route(
                    name: "api.example:8443", match: RouteMatch(host: .nothing, port: .any),
                    upstream: .origin(Origin(scheme: .https, host: "api.example", port: 8443)), upstreamPath: "/v2",
                    credential: "default")
            ])
        #expect(configuration.warnings == [])
    }

    @Test("Gateways stand beside a forward proxy, and routes of one name are told apart")
    func beside() throws {
        let gateways = ["[::1]:3129=https://a.example", "127.0.0.1:3130=http://127.0.0.1:9000"]
        let configuration = try started(gateways) { $0.backends = ["https://a.example"] }
        #expect(
            configuration.listeners.map(\.summary) == [
                "127.0.0.1:3128", "[::1]:3129, gateway to route a.example-2",
                "127.0.0.1:3130, gateway to route 127.0.0.1:9000",
            ])
        #expect(configuration.routes.map(\.name) == ["a.example", "a.example-2", "127.0.0.1:9000"])
        let listening = try started(gateways) { $0.listen = ["127.0.0.1:1"] }
        #expect(listening.listeners.map(\.port) == [1, 3129, 3130])
    }

    @Test("The environment can name several gateways")
    func environment() throws {
        let configuration = try start(
            Flags(),
            [
                "ATTACHE_GATEWAY": "127.0.0.1:1=https://a.example/x,127.0.0.1:2=https://b.example",
                "ATTACHE_TOKEN_FILE": "/token",
            ])
        #expect(configuration.listeners.map(\.port) == [1, 2])
        #expect(configuration.routes.map(\.upstreamPath) == ["/x", ""])
    }

    @Test("A gateway is added to the listeners and routes of a file")
    func withFile() throws {
        let text = """
            listeners: [{ address: "127.0.0.1:1" }]
            credentials: { c: { type: static, value: v } }
            routes: [{ match: { host: a.example }, credential: c }]
            """
        var flags = Flags()
        flags.gateways = ["127.0.0.1:2=https://a.example"]
        let configuration = try load(text, flags: flags)
        #expect(configuration.listeners.map(\.summary) == ["127.0.0.1:1", "127.0.0.1:2, gateway to route a.example-2"])
        #expect(configuration.routes.map(\.credential) == ["c", "c"])
        let onlyRoutes = try load(text.split(separator: "\n").dropFirst().joined(separator: "\n"), flags: flags)
        #expect(onlyRoutes.listeners.map(\.port) == [3128, 2])
    }

    @Test(
        "A wrong value is reported with what to write",
        arguments: [
            ("127.0.0.1:3129", "is not an address and a URL; write ADDRESS=URL"),
            ("https://a.example", "is not an address and a URL"), ("=https://a.example", "is not an address and a URL"),
            ("127.0.0.1:3129=", "is not an address and a URL"), ("=", "is not an address and a URL"),
            ("3129=https://a.example", "is not an address to listen on"),
            ("127.0.0.1:3129=a.example", "is not a URL"), ("127.0.0.1:3129=https://a.example/x?y", "contains a query"),
            ("0.0.0.0:3129=https://a.example", "can be reached from other machines"),
            ("127.0.0.1:3129=http://a.example", "would carry the credential in plain text"),
        ])
    func wrong(_ value: String, _ message: String) {
        let problems = startProblems(flags([value]))
        #expect(problems.count == 1 && problems[0].contains("--gateway: \(message)"), "\(problems)")
    }

    @Test("The options that permit other machines and plain text hold for gateways")
    func permitted() throws {
        let configuration = try started(["0.0.0.0:3129=http://a.example"]) {
            $0.allowNonLoopback = true
            $0.allowPlaintext = true
        }
        #expect(configuration.listeners.map(\.description) == ["0.0.0.0:3129"])
        #expect(configuration.routes.map(\.allowPlaintext) == [true])
    }

    @Test("Two gateways at one address are an error")
    func sameAddress() {
        let problems = startProblems(flags(["127.0.0.1:1=https://a.example", "127.0.0.1:1=https://b.example"]))
        #expect(problems == ["--gateway[1]: is the address of another listener too; choose another port"])
    }
}
