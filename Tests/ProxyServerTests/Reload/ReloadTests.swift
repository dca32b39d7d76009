import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

/// A running proxy whose configuration is loaded again.
@Suite("A reload")
struct ReloadTests {
    private static let layout = Reloadable.layout
    private static let url = "http://app.test/"

    @Test("A route leads to another backend for the next request of the same connection, with the same token")
    func route() throws {
        try withReloadable { it in
            let client = try it.proxy.client()
            defer { client.close() }
            let first = try client.get(Self.url).text
            #expect(first == "first Bearer \(it.tokens.tokens[0])")
            #expect(try it.reload(Self.layout, backend: 1).text == "reloaded\nroutes: changed main\n")
            #expect(try client.get(Self.url).text == "second Bearer \(it.tokens.tokens[0])")
            #expect(it.tokens.tokens.count == 1)
            let page = try it.proxy.admin("/metrics").text
            #expect(page.contains("attache_requests_total{route=\"main\",code=\"200\"} 2\n"), "\(page)")
        }
    }

    @Test("A changed credential is fetched anew, and no request goes out with the old token any more")
    func credential() throws {
        try withReloadable { it in
            let client = try it.proxy.client()
            defer { client.close() }
            _ = try client.get(Self.url)
            var changed = Self.layout
            changed.credential = ["scope: other"]
            #expect(try it.reload(changed).text == "reloaded\ncredentials: changed main\n")
            let answer = try client.get(Self.url).text
            #expect(it.tokens.tokens.count == 2)
            #expect(answer == "first Bearer \(it.tokens.tokens[1])")
            #expect(try it.proxy.admin("/readyz").text == "ready\ncredential main: ready\n")
        }
    }

    @Test("An exchange that has begun ends as it began")
    func running() throws {
        let gate = Gate()
        let slow = try ScriptedServer { connection in
            while let request = try connection.request() {
                try gate.wait()
                try connection.send(Scripts.response("slow \(request.fields["Authorization"] ?? "")"))
            }
        }
        defer { slow.stop() }
        try withReloadable { it in
            var layout = Self.layout
            layout.upstream = "http://127.0.0.1:\(slow.port)"
            #expect(try it.reload(layout).status == 200)
            let client = try it.proxy.client()
            defer { client.close() }
            try client.send("GET \(Self.url) HTTP/1.1\r\nHost: app.test\r\n\r\n")
            try slow.wait("the request") { $0.requests.count == 1 }
            var other = Self.layout
            other.credential = ["scope: other"]
            #expect(try it.reload(other).status == 200)
            gate.open()
            #expect(try client.response().text == "slow Bearer \(it.tokens.tokens[0])")
            #expect(try client.get(Self.url).text.hasPrefix("first "))
        }
    }

    @Test("A listener that stays keeps its connections under new rules, one is opened, and one is closed")
    func listeners() throws {
        try withReloadable { it in
            let client = try it.proxy.client()
            defer { client.close() }
            #expect(try client.get(Self.url).status == 200)
            let (second, third) = (try ListeningSocket(), try ListeningSocket())
            let ports = (second.port, third.port)
            second.close()
            third.close()
            var more = Self.layout
            more.listeners = [
                "{ address: 127.0.0.1:0, mode: gateway, route: main, hosts: [ignored.example] }",
                "{ address: 127.0.0.1:\(ports.0) }",
            ]
            #expect(try it.reload(more).text.contains("added 127.0.0.1:\(ports.0)"))
            #expect(try client.get("/").text.hasPrefix("first "))
            let other = try RawClient(port: ports.0)
            defer { other.close() }
            #expect(try other.get(Self.url).status == 200)
            var instead = Self.layout
            instead.listeners = ["{ address: 127.0.0.1:0 }", "{ address: 127.0.0.1:\(ports.1) }"]
            #expect(try it.reload(instead).status == 200)
            #expect(try other.endsNow())
            #expect((try? RawClient(port: ports.0)) == nil)
            #expect(try client.get(Self.url).status == 200)
            let last = try RawClient(port: ports.1)
            defer { last.close() }
            #expect(try last.get(Self.url).status == 200)
        }
    }

    @Test("A broken file changes nothing, and the answer, the log and the metrics say so")
    func broken() throws {
        try withReloadable { it in
            let client = try it.proxy.client()
            defer { client.close() }
            _ = try client.get(Self.url)
            let answer = try it.reload(Layout(match: "{ hosts: app.test }"))
            #expect(answer.status == 422)
            #expect(answer.text.contains("attache.yaml:"), "\(answer.text)")
            #expect(answer.text.contains("did you mean host?"), "\(answer.text)")
            #expect(it.proxy.log.text.contains("error configuration not reloaded, the old one stays in force"))
            #expect(try client.get(Self.url).status == 200)
            let page = try it.proxy.admin("/metrics").text
            #expect(page.contains("attache_config_reloads_total{result=\"failure\"} 1\n"))
            #expect(page.contains("attache_config_last_reload_successful 0\n"))
            #expect(try it.reload(Self.layout).text == "reloaded\nnothing has changed\n")
            let after = try it.proxy.admin("/metrics").text
            #expect(after.contains("attache_config_reloads_total{result=\"success\"} 1\n"))
            #expect(after.contains("attache_config_last_reload_successful 1\n"))
        }
    }

    @Test("An address that another process has changes nothing")
    func unusable() throws {
        try withReloadable { it in
            let taken = try ListeningSocket()
            defer { taken.close() }
            var busy = Self.layout
            busy.listeners += ["{ address: 127.0.0.1:\(taken.port) }"]
            let refused = try it.reload(busy)
            #expect(refused.status == 422)
            #expect(refused.text.contains("cannot listen on 127.0.0.1:\(taken.port)"), "\(refused.text)")
            let client = try it.proxy.client()
            defer { client.close() }
            #expect(try client.get(Self.url).status == 200)
        }
    }

    @Test("An address whose port a listener of its own still has is refused with that listener's name")
    func ownPort() throws {
        let free = try ListeningSocket()
        let port = free.port
        free.close()
        func layout(_ address: String) -> Layout {
            var layout = Self.layout
            layout.listeners += ["{ address: \(address):\(port), allowNonLoopback: true }"]
            return layout
        }
        try withReloadable { it in
            #expect(try it.reload(layout("127.0.0.1")).status == 200)
            let refused = try it.reload(layout("0.0.0.0"))
            #expect(refused.status == 422)
            #expect(
                refused.text.contains(
                    "the listener 127.0.0.1:\(port) still uses this port; restart attache, or remove that listener in one "
                        + "reload and add this one in the next"),
                "\(refused.text)")
            #expect(try it.reload(Self.layout).status == 200)
            #expect(try it.reload(layout("0.0.0.0")).status == 200)
        }
    }

    @Test("Settings that need a restart are named each time, and the others are applied")
    func restart() throws {
        try withReloadable { it in
            var layout = Self.layout
            layout.top = ["workers: 2", "cacheSize: 7"]
            let expected = "reloaded\nsettings: changed cacheSize\nworkers: changed, needs a restart\n"
            let first = try it.reload(layout).text
            #expect(first == expected)
            #expect(try it.reload(layout).text == "reloaded\nworkers: changed, needs a restart\n")
            #expect(it.proxy.log.text.contains("warning configuration reloaded, some settings need a restart"))
        }
    }

    @Test("All workers serve the new configuration", arguments: [1, 3])
    func workers(_ count: Int) throws {
        var layout = Self.layout
        layout.top = ["workers: \(count)"]
        try withReloadable(layout) { it in
            let before = try (0..<8).map { _ in try it.proxy.client() }
            for client in before { #expect(try client.get(Self.url).text.hasPrefix("first ")) }
            #expect(try it.reload(layout, backend: 1).status == 200)
            let after = try (0..<8).map { _ in try it.proxy.client() }
            for client in before + after {
                #expect(try client.get(Self.url).text.hasPrefix("second "))
                client.close()
            }
        }
    }

    @Test("A changed file is loaded, also if a link on its path leads elsewhere, unless reloadOnChange is false")
    func changedFile() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let backends = try ["first", "second", "third"].map { name in
            try ScriptedServer(answering: { _ in Scripts.response(name) })
        }
        defer { for backend in backends { backend.stop() } }
        func write(_ name: String, _ backend: Int, more: String = "") throws {
            try #require(mkdir(directory.file(name), 0o755) == 0)
            let text = """
                listeners: [{ address: 127.0.0.1:0 }]
                accessLog: { path: "off" }
                admin: { address: 127.0.0.1:0 }
                routes: [{ name: main, match: { host: app.test }, upstream: "\(backends[backend].url)" }]
                \(more)
                """
            _ = try directory.write(text, to: "\(name)/attache.yaml")
        }
        // As Kubernetes mounts a ConfigMap: the folder's `..data` leads to a folder that is replaced as a whole.
        let data = directory.file("..data")
        func lead(to name: String) throws {
            let new = directory.file("..data_tmp")
            try #require(symlink(directory.file(name), new) == 0 && rename(new, data) == 0)
        }
        try write("one", 0)
        try write("two", 1, more: "reloadOnChange: false")
        try write("three", 2)
        try lead(to: "one")
        let file = directory.file("attache.yaml")
        try #require(symlink(directory.file("..data/attache.yaml"), file) == 0)
        let proxy = try ProxyUnderTest(file: file)
        defer { proxy.stop() }
        let client = try proxy.client()
        defer { client.close() }
        #expect(try client.get(Self.url).text == "first")
        try lead(to: "two")
        try Patience.poll("the second configuration") {
            try proxy.pass(.seconds(1))
            return try client.get(Self.url).text == "second" ? () : nil
        }
        try lead(to: "three")
        for _ in 0..<6 { try proxy.pass(.seconds(1)) }
        #expect(try client.get(Self.url).text == "second")
        #expect(proxy.log.text.contains("the file changed"))
        // The third one turns it on again.
        #expect(try proxy.post("/reload").text.contains("changed reloadOnChange"))
        #expect(try client.get(Self.url).text == "third")
        try lead(to: "one")
        try Patience.poll("the first configuration") {
            try proxy.pass(.seconds(1))
            return try client.get(Self.url).text == "first" ? () : nil
        }
        // A file that is touched is loaded again, which only the level debug shows.
        let reloaded = { proxy.log.text.ranges(of: "notice configuration reloaded").count }
        let before = reloaded()
        try #require(utimes(directory.file("one/attache.yaml"), nil) == 0)
        try Patience.poll("a reload of the touched file") {
            try proxy.pass(.seconds(1))
            return try proxy.admin("/metrics").text.contains("reloads_total{result=\"success\"} 4\n") ? () : nil
        }
        #expect(before == 3 && reloaded() == before)
        #expect(proxy.log.text.contains("debug configuration reloaded"))
    }

    @Test(
        "A page of another site cannot reload, nor can a GET",
        arguments: [
            ("attacker.test", "", 421), ("localhost", "Origin: http://attacker.test\r\n", 403),
            ("localhost", "Sec-Fetch-Site: cross-site\r\n", 403), ("127.0.0.1:9901", "", 200), ("[::1]:9901", "", 200),
        ] as [(String, String, Int)])
    func foreign(_ host: String, _ fields: String, _ status: Int) throws {
        try withReloadable { it in
            let answer = try it.proxy.post("/reload", host: host, fields: fields)
            #expect(answer.status == status)
            #expect(try it.proxy.admin("/reload").status == 405)
        }
    }

    @Test("Without a file there is nothing to reload")
    func noFile() throws {
        try withScene { scene in
            let answer = try scene.proxy.post("/reload")
            #expect(answer.status == 409)
            #expect(answer.text.contains("without a configuration file"))
        }
    }

    @Test("A connection that a listener's lower limit does not allow any more is refused, and others stay")
    func limits() throws {
        try withReloadable { it in
            let client = try it.proxy.client()
            defer { client.close() }
            #expect(try client.get(Self.url).status == 200)
            var layout = Self.layout
            layout.limits = ["connections: 1", "headBytes: 1024"]
            #expect(try it.reload(layout).text == "reloaded\nsettings: changed limits\n")
            let other = try it.proxy.client()
            defer { other.close() }
            #expect(try other.get(Self.url).status == 503)
            #expect(try client.get(Self.url).status == 200)
            let long = String(repeating: "x", count: 2000)
            #expect(try client.get(Self.url, fields: "X-Long: \(long)\r\n").status == 431)
        }
    }
}
