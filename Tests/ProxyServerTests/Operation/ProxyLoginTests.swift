import EventTransport
import ProxyConfiguration
import Signing
import Support
import Testing

@testable import ProxyServer

@Suite("Users of a proxy")
struct ProxyLoginTests {
    private static let users = "# the users\napp:canary-one\napp:canary-two\nother:canary:three\nüser:canary-ü\n"

    /// Runs a test's body with a proxy whose users are in a file.
    private func withUsers(
        _ allow: String = "", route: [String] = [], _ listener: String = "address: 127.0.0.1:0", top: [String] = [],
        _ body: (Scene, TemporaryDirectory) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.users, to: "users")
        var layout = Layout()
        layout.listeners = ["{ \(listener), passwordFile: \"\(file)\"\(allow) }"]
        layout.route = route
        layout.top = top
        try withScene(layout) { try body($0, directory) }
    }

    private static func login(_ credentials: String, scheme: String = "Basic") -> String {
        "Proxy-Authorization: \(scheme) \(Base64.encode(Array(credentials.utf8)))\r\n"
    }

    private static func expectRefused(_ response: ReceivedResponse) throws {
        try expectOwnAnswer(response, 407, mentions: ["user name"])
        #expect(response.fields.all("Proxy-Authenticate") == [#"Basic realm="attache", charset="UTF-8""#])
        #expect(response.reason == "Proxy Authentication Required")
        #expect(!response.text.contains("canary") && response.text.contains("#proxy-login-required"))
    }

    @Test("A request with a user and the right password is served, and the field goes no further")
    func served() throws {
        try withUsers { scene, _ in
            for (login, user) in [
                (Self.login("app:canary-one"), "app"), (Self.login("app:canary-two", scheme: "bASIC  "), "app"),
                (Self.login("other:canary:three"), "other"), (Self.login("üser:canary-ü"), "üser"),
            ] {
                let response = try scene.get("/a", fields: login)
                #expect(response.status == 200)
                let line = try #require(try scene.accessLog(scene.backend.requests.count).last)
                #expect(line.contains(#","client":"user:\#(user)""#))
            }
            for request in scene.backend.requests {
                #expect(request.fields["Proxy-Authorization"] == nil)
                #expect(request.fields["Authorization"]?.hasPrefix("Bearer ") == true)
            }
        }
    }

    @Test(
        "A request without the right password gets 407",
        arguments: [
            "", login("app:canary-three"), login("app:canary-on"), login("app:"), login("app"), login(""),
            login("canary-one:app"), login("APP:canary-one"), login("app:canary-one", scheme: "Bearer"),
            "Proxy-Authorization: app:canary-one\r\n", "Proxy-Authorization: Basic\r\n", "Proxy-Authorization:\r\n",
            login("other:canary-one"), login("app:canary-one") + login("app:canary-three"),
            "Authorization: Basic YXBwOmNhbmFyeS1vbmU=\r\n",
        ])
    func refused(fields: String) throws {
        try withUsers { scene, _ in
            let client = try scene.client()
            defer { client.close() }
            try Self.expectRefused(try client.get(scene.url, fields: fields))
            // The connection serves a request with the right password.
            #expect(try client.get(scene.url, fields: Self.login("app:canary-one")).status == 200)
            try Self.expectRefused(try client.get(scene.url, fields: fields))
            #expect(scene.backend.requests.count == 1)
            for line in try scene.accessLog(3) { #expect(!line.contains("canary"), "\(line)") }
            #expect(!scene.proxy.log.text.contains("canary"))
        }
    }

    @Test("A request with two fields is refused as such, whatever they hold")
    func two() throws {
        try withUsers { scene, _ in
            let right = Self.login("app:canary-one")
            for fields in [right + right, right + Self.login("app:wrong"), Self.login("app:wrong") + right] {
                let response = try scene.get("/a", fields: fields)
                try Self.expectRefused(response)
                #expect(response.text.contains("more than one Proxy-Authorization"))
            }
        }
    }

    @Test("A tunnel belongs to the user of its CONNECT, as do the requests inside")
    func tunnel() throws {
        try withUsers(", allow: [{ username: app }]", route: ["connect: terminate"]) { scene, _ in
            let connect = "CONNECT \(scene.backend.authority) HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n"
            for (login, status) in [
                ("", 407), (Self.login("other:canary:three"), 403), (Self.login("app:canary-one"), 200),
            ] {
                let client = try scene.client()
                defer { client.close() }
                try client.send(connect + login + "\r\n")
                guard status == 200 else {
                    #expect(try client.response().status == status)
                    continue
                }
                #expect(try client.responseHead(to: "CONNECT").status == 200)
                for _ in 0..<2 {
                    let inside = "GET /inside HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\r\n"
                    #expect(try client.exchange(inside).text == "/inside")
                }
            }
            let lines = try scene.accessLog(5)
            #expect(lines.suffix(3).allSatisfy { $0.contains(#","client":"user:app""#) }, "\(lines)")
        }
    }

    @Test("A user may use the routes of its entries, and a Unix socket asks for a password too")
    func allowed() throws {
        for listener in ["address: 127.0.0.1:0", "address: \"unix:{directory}/proxy.sock\""] {
            try withUsers(", allow: [{ username: app }, { username: other, routes: [] }]", listener) { scene, _ in
                let isLocal = listener.contains("unix")
                let client = try isLocal ? RawClient(path: scene.directory.file("proxy.sock")) : scene.client()
                defer { client.close() }
                #expect(try client.get(scene.url, fields: Self.login("app:canary-one")).status == 200)
                let refused = try client.get(scene.url, fields: Self.login("other:canary:three"))
                try expectOwnAnswer(refused, 403, mentions: ["The user other", "username: other, routes: [main] }"])
                #expect(try client.get(scene.url).status == 407)
            }
        }
    }

    @Test("The file is read again when it changes, and an unusable one changes nothing")
    func changed() throws {
        try withUsers { scene, directory in
            func replace(_ text: String) throws { try directory.write(text, to: "users") }
            #expect(try scene.get(fields: Self.login("new:canary-new")).status == 407)
            try replace("new:canary-new\n")
            try Patience.poll("the new user is known") {
                try scene.proxy.pass(.seconds(2))
                return try scene.get(fields: Self.login("new:canary-new")).status == 200 ? () : nil
            }
            #expect(try scene.get(fields: Self.login("app:canary-one")).status == 407)
            try replace("canary without a colon\n")
            try Patience.poll("the problem is logged") {
                try scene.proxy.pass(.seconds(2))
                #expect(try scene.get(fields: Self.login("new:canary-new")).status == 200)
                return scene.proxy.log.text.contains("users of a listener not replaced") ? () : nil
            }
            #expect(!scene.proxy.log.text.contains("canary"))
        }
    }

    @Test("A removed user is refused at once, also inside its tunnel, although no request has come since the change")
    func removed() throws {
        try withUsers("", route: ["connect: terminate"]) { scene, directory in
            let inside = "GET /inside HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\r\n"
            let login = Self.login("app:canary-one")
            let tunnel = try scene.client()
            defer { tunnel.close() }
            try tunnel.send(
                "CONNECT \(scene.backend.authority) HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\(login)\r\n")
            #expect(try tunnel.responseHead(to: "CONNECT").status == 200)
            #expect(try tunnel.exchange(inside).text == "/inside")
            try directory.write("other:canary:three\n", to: "users")
            try Patience.poll("the change is found") {
                try scene.proxy.pass(.seconds(1))
                return scene.proxy.log.text.contains("users of a listener replaced") ? () : nil
            }
            #expect(try scene.get(fields: login).status == 407)
            #expect(try tunnel.exchange(inside).status == 407)
            #expect(try tunnel.endsNow())
        }
    }

    @Test("All workers know a change of the file, which is read once and logged once")
    func workers() throws {
        try withUsers("", top: ["workers: 3"]) { scene, directory in
            try directory.write("other:canary:three\n", to: "users")
            try Patience.poll("the change is found") {
                try scene.proxy.pass(.seconds(1))
                return scene.proxy.log.text.contains("users of a listener replaced") ? () : nil
            }
            // Each worker takes some of the connections.
            for _ in 0..<24 {
                try Patience.poll("the worker knows") {
                    try scene.get(fields: Self.login("app:canary-one")).status == 407 ? () : nil
                }
                #expect(try scene.get(fields: Self.login("other:canary:three")).status == 200)
            }
            try directory.write("no user\n", to: "users")
            try Patience.poll("the problem is found") {
                try scene.proxy.pass(.seconds(1))
                return scene.proxy.log.text.contains("users of a listener not replaced") ? () : nil
            }
            for _ in 0..<3 { try scene.proxy.pass(.seconds(1)) }
            #expect(scene.proxy.log.text.ranges(of: "users of a listener replaced").count == 1)
            #expect(scene.proxy.log.text.ranges(of: "users of a listener not replaced").count == 1)
        }
    }

    @Test("A file without a user is refused as such, whatever else it lacks")
    func unusable() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.file("users")
        func problem() -> String {
            guard case .failure(let error) = PasswordDigests.read(file) else { return "" }
            return error.message
        }
        let start = "the users of a listener: the file \(file)"
        #expect(problem() == "\(start) cannot be found; create it, or correct the path")
        for text in ["", "\n", "# nobody\n"] {
            try directory.write(text, to: "users")
            #expect(problem() == "\(start) has no line user:password; add one for each user")
        }
        try directory.write(String(repeating: "a:b\n", count: 20_000), to: "users")
        #expect(problem().hasSuffix("is larger than 64 KiB; it must hold only lines user:password"))
    }

    @Test("Digests find the user of the line, whichever it is")
    func digests() throws {
        let digests = PasswordDigests(try PasswordLines(Array(Self.users.utf8)))
        for (credentials, user) in [
            ("app:canary-one", "app"), ("other:canary:three", "other"), ("app:x", nil), ("", nil),
        ] {
            #expect(digests.user(with: Array(Base64.encode(Array(credentials.utf8)).utf8)) == user)
        }
    }
}
