import EventTransport
import Glibc
import Signing
import Support
import Testing

@testable import ProxyServer

/// Listeners that stay under another configuration, and the clients that are connected to them.
@Suite("A reload and the clients of listeners")
struct ListenerReloadTests {
    private static let url = "http://app.test/"
    private static let inside = "GET /inside HTTP/1.1\r\nHost: app.test\r\n\r\n"

    private static func login(_ credentials: String) -> String {
        "Proxy-Authorization: Basic \(Base64.encode(Array(credentials.utf8)))\r\n"
    }

    private static func layout(_ listener: String) -> Layout {
        var layout = Reloadable.layout
        layout.listeners = ["{ \(listener) }"]
        layout.route = ["connect: terminate"]
        return layout
    }

    private static func users(_ file: String, _ more: String = "") -> Layout {
        layout("address: 127.0.0.1:0, passwordFile: \"{directory}/\(file)\"\(more)")
    }

    private static let files = [
        "users": "app:canary-one\n", "others": "app:canary-two\nother:canary-two\n", "last": "other:canary-two\n",
    ]

    @Test("Users and the entries for them hold for the next request of an open connection")
    func users() throws {
        try withReloadable(Self.users("users"), files: Self.files) { it in
            let client = try it.proxy.client()
            defer { client.close() }
            func status(_ login: String?) throws -> Int {
                try client.get(Self.url, fields: login.map(Self.login) ?? "").status
            }
            #expect(try status("app:canary-one") == 200)
            #expect(try it.reload(Self.users("others")).status == 200)
            #expect(try status("app:canary-one") == 407)
            #expect(try status("app:canary-two") == 200)
            #expect(try it.reload(Self.users("others", ", allow: [{ username: other }]")).status == 200)
            #expect(try status("app:canary-two") == 403)
            #expect(try status("other:canary-two") == 200)
            #expect(try it.reload(Self.users("missing")).status == 422)
            #expect(try status("other:canary-two") == 200)
            #expect(try it.reload(Self.layout("address: 127.0.0.1:0")).status == 200)
            #expect(try status(nil) == 200)
            #expect(try it.reload(Self.users("last")).status == 200)
            #expect(try status(nil) == 407)
            #expect(!it.proxy.log.text.contains("canary"))
        }
    }

    @Test("The user of a tunnel keeps it as long as the listener has that user, and by the routes in force")
    func tunnel() throws {
        try withReloadable(Self.users("users"), files: Self.files) { it in
            let client = try it.proxy.client()
            defer { client.close() }
            let login = Self.login("app:canary-one")
            try client.send("CONNECT app.test:80 HTTP/1.1\r\nHost: app.test:80\r\n\(login)\r\n")
            #expect(try client.responseHead(to: "CONNECT").status == 200)
            #expect(try client.exchange(Self.inside).text.hasPrefix("first "))
            // The route gets another index.
            var others = Self.users("others", ", allow: [{ username: app, routes: [main] }]")
            others.routesBefore = ["{ name: before, match: { host: before.test }, upstream: \"http://{backend}\" }"]
            #expect(try it.reload(others, backend: 1).status == 200)
            for _ in 0..<2 { #expect(try client.exchange(Self.inside).text.hasPrefix("second ")) }
            #expect(try it.reload(Self.users("others", ", allow: [{ username: other }]")).status == 200)
            #expect(try client.exchange(Self.inside).status == 403)
            #expect(try it.reload(Self.users("last")).status == 200)
            let refused = try client.exchange(Self.inside)
            try expectOwnAnswer(refused, 407, mentions: ["user name that opened this tunnel"])
            #expect(try client.endsNow())
        }
    }

    @Test("A tunnel that was opened without a user ends at the next request if the listener demands one")
    func tunnelWithoutUser() throws {
        try withReloadable(Self.layout("address: 127.0.0.1:0"), files: Self.files) { it in
            let client = try it.proxy.client()
            defer { client.close() }
            try client.send("CONNECT app.test:80 HTTP/1.1\r\nHost: app.test:80\r\n\r\n")
            #expect(try client.responseHead(to: "CONNECT").status == 200)
            #expect(try client.exchange(Self.inside).status == 200)
            #expect(try it.reload(Self.users("users")).status == 200)
            #expect(try client.exchange(Self.inside).status == 407)
            #expect(try client.endsNow())
        }
    }

    @Test("The entries for local users hold for the next request of an open connection")
    func localUsers() throws {
        func layout(_ more: String) -> Layout { Self.layout("address: \"unix:{directory}/proxy.sock\"\(more)") }
        try withReloadable(layout("")) { it in
            let client = try RawClient(path: it.directory.file("proxy.sock"))
            defer { client.close() }
            #expect(try client.get(Self.url).status == 200)
            for (more, status) in [
                (", allow: [{ user: \(geteuid() + 1) }]", 403), (", allow: [{ group: \(getegid()) }]", 200),
                (", allow: [{ user: \(geteuid()), routes: [] }]", 403), (", allow: [{ user: \(geteuid()) }]", 200),
                ("", 200),
            ] {
                #expect(try it.reload(layout(more)).status == 200)
                #expect(try client.get(Self.url).status == status, "\(more)")
            }
        }
    }

    @Test("A socket of systemd stays open if no listener uses it any more, and its clients wait", arguments: [1, 3])
    func systemd(_ workers: Int) throws {
        let sockets = try [ListeningSocket(), ListeningSocket()]
        defer { for socket in sockets { socket.close() } }
        func layout(_ listeners: String...) -> Layout {
            var layout = Reloadable.layout
            layout.listeners = listeners.map { "{ address: \($0) }" }
            layout.top = ["workers: \(workers)"]
            return layout
        }
        let passed = SystemdSocketTests.passed([("proxy", sockets[0]), ("other", sockets[1])])
        try withReloadable(layout("systemd:proxy"), passed: passed) { it in
            let client = try it.proxy.client()
            defer { client.close() }
            #expect(try client.get(Self.url).status == 200)
            #expect(try it.reload(layout("systemd:proxy"), backend: 1).status == 200)
            #expect(try client.get(Self.url).text.hasPrefix("second "))
            for _ in 0..<2 {
                #expect(try it.reload(layout("systemd:other")).status == 200)
                let waiting = try RawClient(port: sockets[0].port)
                defer { waiting.close() }
                try waiting.send("GET \(Self.url) HTTP/1.1\r\nHost: app.test\r\n\r\n")
                let other = try RawClient(port: sockets[1].port)
                defer { other.close() }
                #expect(try other.get(Self.url).status == 200)
                #expect(try it.reload(layout("systemd:other", "systemd:proxy")).status == 200)
                #expect(try waiting.response().status == 200)
                #expect(try other.get(Self.url).status == 200)
            }
            #expect(try client.endsNow())
        }
    }

    @Test("A listener that does not fit the socket of systemd changes nothing")
    func unfit() throws {
        let socket = try ListeningSocket()
        defer { socket.close() }
        let passed = SystemdSocketTests.passed([("proxy", socket)])
        try withReloadable(Self.layout("address: systemd"), passed: passed) { it in
            let client = try it.proxy.client()
            defer { client.close() }
            for (listeners, message) in [
                (["address: systemd:other"], "systemd passed the sockets proxy"),
                (["address: systemd, allow: [{ user: 1 }]"], "systemd passed a TCP socket"),
                (["address: systemd", "address: systemd:proxy"], "another listener has this socket"),
            ] {
                var layout = Reloadable.layout
                layout.listeners = listeners.map { "{ \($0) }" }
                let answer = try it.reload(layout)
                #expect(answer.status == 422)
                #expect(answer.text.contains(message), "\(answer.text)")
                #expect(try client.get(Self.url).status == 200)
            }
            #expect(try it.reload(Self.layout("address: systemd:proxy")).status == 200)
            #expect(try client.get(Self.url).status == 200)
        }
    }
}
