import EventTransport
import Glibc
import HTTPWire
import ProxyConfiguration
import ProxyCore
import Support
import Testing

@testable import ProxyServer

/// A reload when something that it needs is missing or slow.
@Suite("A reload and its surroundings")
struct ReloadFaultTests {
    private static let url = "http://app.test/"

    @Test("A new refresh token that is only in memory refuses the reload until it is in its file")
    func unsavedRefreshToken() throws {
        // The file that replaces it would have a longer name than a file system allows.
        let long = String(repeating: "x", count: 250)
        // Always the same, because on a busy machine a request may time out and be repeated.
        let tokens = try FakeTokenEndpoint(
            then: .status(200, #"{"access_token":"t0","expires_in":3600,"refresh_token":"canary-r1"}"#))
        defer { tokens.stop() }
        var layout = Reloadable.layout
        func rotating(_ more: String = "") -> [String] {
            [
                "rotating: { type: refreshToken, tokenUrl: \"\(tokens.url)\", clientId: app, "
                    + "clientSecret: canary-secret, "
                    + "refreshToken: { file: \"{directory}/token\" }\(more) }"
            ]
        }
        layout.credentialsBefore = rotating()
        layout.routesBefore = ["{ match: { host: r.test }, upstream: \"http://{backend}\", credential: rotating }"]
        let files = [long: "canary-r0", "short": "canary-r0"]
        try withReloadable(layout, files: files, links: ["token": long]) { it in
            let token = it.directory.file("token")
            try it.proxy.log.wait(for: "refresh token not written")
            layout.credentialsBefore = rotating(", scope: other")
            let refused = try it.reload(layout, backend: 1)
            #expect(refused.status == 422)
            #expect(
                refused.text.hasPrefix(
                    "credential rotating: its new refresh token is only in memory, because \(token) cannot be"),
                "\(refused.text)")
            let client = try it.proxy.client()
            defer { client.close() }
            #expect(try client.get("http://r.test/").text == "first Bearer t0")
            let asked = tokens.requests.count
            try #require(unlink(token) == 0 && symlink("short", token) == 0)
            let applied = try it.proxy.post("/reload")
            #expect(applied.status == 200, "\(applied.text)")
            try tokens.waitForRequests(asked + 1)
            let isNew = tokens.requests.map { $0.text.contains("refresh_token=canary-r1") }
            #expect(isNew.firstIndex(of: true) == asked)
            #expect(!it.proxy.log.text.contains("canary"))
        }
    }

    /// A proxy whose loads wait for a gate.
    private struct Slow {
        let directory: TemporaryDirectory
        let gate = Gate("the configuration may be loaded")
        let loads = Monitor(0)
        let file: String
        let proxy: ProxyUnderTest

        /// If `isEarly`, the file changes before the proxy looks at it for the first time.
        init(changedEarly isEarly: Bool = false) throws {
            directory = try TemporaryDirectory()
            let text = """
                listeners: [{ address: 127.0.0.1:0 }]
                admin: { address: 127.0.0.1:0 }
                accessLog: { path: "off" }
                unmatched: forward
                """
            file = try directory.write(text, to: "attache.yaml")
            var flags = Flags()
            flags.configurationFile = file
            let configuration = try Configuration.load(flags: flags, environment: [:])
            let source = ConfigurationSource(file: file) { [gate, loads] in
                loads.access { $0 += 1 }
                try? gate.wait()
                return .success(configuration)
            }
            if isEarly { _ = try directory.write("changed: true", to: "attache.yaml") }
            proxy = try ProxyUnderTest(configuration: configuration, source: source)
        }
    }

    @Test("A load that hangs is reported once, and changes of the file do not add up behind it")
    func hanging() throws {
        let it = try Slow()
        defer { it.directory.remove() }
        defer { it.proxy.stop() }
        _ = try it.directory.write("changed: true", to: "attache.yaml")
        try Patience.poll("the load begins") {
            try it.proxy.pass(.seconds(1))
            return it.loads.access { $0 } == 1 ? () : nil
        }
        for _ in 0..<60 { try it.proxy.pass(.seconds(1)) }
        #expect(it.proxy.log.text.components("still loading the configuration") == 1)
        it.gate.open()
        try it.proxy.log.wait(for: "configuration reloaded")
        for _ in 0..<5 { try it.proxy.pass(.seconds(1)) }
        #expect(try it.proxy.post("/reload").status == 200)
        #expect(it.loads.access { $0 } == 2)
    }

    @Test("POST /reload answers 504 after 25 s if the load hangs, and the reload continues")
    func late() throws {
        let it = try Slow()
        defer { it.directory.remove() }
        defer { it.proxy.stop() }
        defer { it.gate.open() }
        let client = try RawClient(port: it.proxy.adminPort)
        defer { client.close() }
        try client.send("POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        try Patience.poll("the load begins") { it.loads.access { $0 } == 1 ? () : nil }
        try it.proxy.pass(.seconds(25))
        let answer = try client.response(to: "POST")
        #expect(answer.status == 504)
        #expect(answer.text == "the reload has not ended after 25 s and continues; see its result in the log\n")
        it.gate.open()
        try it.proxy.log.wait(for: "configuration reloaded")
        // On the same connection, and with nothing left of the late answer.
        #expect(try client.exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").text == "alive\n")
    }

    @Test("A file that a new configuration names is not read on a loop that serves requests")
    func hangingAuthorities() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        // Who opens it to read waits for a writer.
        let pipe = directory.file("ca.pem")
        try #require(mkfifo(pipe, 0o600) == 0)
        let first = try directory.write("admin: { address: 127.0.0.1:0 }", to: "attache.yaml")
        let old = Configuration(
            listeners: [ListenerConfiguration(host: "127.0.0.1", port: 0)],
            admin: ListenerConfiguration(host: "127.0.0.1", port: 0), accessLog: .off, reloadsOnChange: false)
        var new = old
        new.routes = [
            Route(
                name: "secure", match: RouteMatch(host: .exact("app.test"), port: .any),
                upstream: .origin(Origin(scheme: .https, host: "app.test", port: 443)), tls: UpstreamTLS(caFile: pipe))
        ]
        let proxy = try ProxyUnderTest(
            configuration: old, source: ConfigurationSource(file: first) { [new] in .success(new) })
        defer { proxy.stop() }
        let client = try RawClient(port: proxy.adminPort)
        defer { client.close() }
        try client.send("POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        // It opens as soon as the proxy reads.
        let writer = try Patience.poll("the file is being read") {
            let descriptor = open(pipe, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0 ? descriptor : nil
        }
        #expect(try proxy.admin("/livez").status == 200)
        let text = Array(TemporaryDirectory.read(TestCertificates.shared.caFile).utf8)
        #expect(write(writer, text, text.count) == text.count)
        close(writer)
        #expect(try client.response().text == "reloaded\nroutes: added secure\n")
    }

    @Test("A change between the load at the start and the first look is loaded")
    func early() throws {
        let it = try Slow(changedEarly: true)
        defer { it.directory.remove() }
        defer { it.proxy.stop() }
        it.gate.open()
        try Patience.poll("the load") {
            try it.proxy.pass(.seconds(1))
            return it.loads.access { $0 } == 1 ? () : nil
        }
    }

    @Test("A file that was refused is loaded again without a change of its own, and its problem is logged once")
    func refused() throws {
        try withReloadable { it in
            var layout = Reloadable.layout
            layout.route = ["tls: { caFile: \"{directory}/ca.pem\" }"]
            layout.upstream = "https://app.test"
            try it.write(layout)
            let needle = "configuration not reloaded"
            try Patience.poll("the refusal") {
                try it.proxy.pass(.seconds(1))
                return it.proxy.log.text.contains(needle) ? () : nil
            }
            for _ in 0..<40 { try it.proxy.pass(.seconds(1)) }
            #expect(it.proxy.log.text.components(needle) == 1)
            let page = try it.proxy.admin("/metrics").text
            #expect(page.contains("attache_config_reloads_total{result=\"failure\"} 1\n"))
            _ = try it.directory.write(TemporaryDirectory.read(TestCertificates.shared.caFile), to: "ca.pem")
            try Patience.poll("the second attempt") {
                try it.proxy.pass(.seconds(1))
                return it.proxy.log.text.contains("configuration reloaded") ? () : nil
            }
            #expect(it.proxy.log.text.components(needle) == 1)
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
