import Support
import Testing

@Suite("A credential is sent only to the upstream of its route")
struct DestinationTests {
    @Test("Only the route's upstream gets the token")
    func onlyTheRoutesUpstream() throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        let layout = Layout(routesBefore: [
            "{ name: other, match: { host: 127.0.0.1, port: \(other.port) }, upstream: \"\(other.url)\", credential: none }"
        ])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                #expect(try client.get("\(scene.url)/").status == 200)
                #expect(try client.get("\(other.url)/").status == 200)
            }
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Authorization").count == 1 })
            #expect(other.requests.count == 3)
            #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
        }
    }

    @Test("A destination that no route names is denied with advice")
    func unmatchedDenied() throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("\(other.url)/secret-path?canary-query")
            try expectOwnAnswer(
                response, 403,
                mentions: ["Route main takes the host of \(other.authority), but only port", "add another route"])
            #expect(!response.text.contains("secret-path"))
            let unknown = try client.get("http://unknown.test/")
            try expectOwnAnswer(unknown, 403, mentions: ["No route matches unknown.test; add one to routes"])
            #expect(!response.text.contains("canary-query"))
            // The connection lives on: a refusal is not a framing error.
            #expect(try client.get("\(scene.url)/").status == 200)
            #expect(other.connectionCount == 0)
        }
    }

    @Test("An unmatched destination is forwarded without a credential if the configuration says forward")
    func unmatchedForwarded() throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        try withScene(Layout(top: ["unmatched: forward", "allowAddresses: [127.0.0.0/8]"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("\(other.url)/x", fields: "Authorization: Bearer mine\r\n")
            #expect(response.status == 200)
            #expect(other.requests.first?.fields.all("Authorization") == ["Bearer mine"])
            _ = try client.get("\(other.url)/x")
            #expect(other.requests.last?.fields["Authorization"] == nil)
        }
    }

    @Test("An address that is not public is refused unless the configuration names it, and the log has a line")
    func specialRefused() throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        try withScene(Layout(top: ["unmatched: forward", "allowAddresses: [10.9.0.0/16]"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            for (host, kind) in [
                ("169.254.169.254", "169.254.169.254:80 is at 169.254.169.254 (link-local or metadata)"),
                ("127.0.0.1:\(other.port)", "(loopback)"),
                ("localhost:\(other.port)", "::1 (loopback), 127.0.0.1 (loopback)"),
                ("[::ffff:127.0.0.1]:\(other.port)", "127.0.0.1 (loopback)"), ("0.0.0.0:\(other.port)", "(private"),
                ("10.0.0.1", "10.0.0.1 (private"), ("[64:ff9b::10.0.0.1]", "(private"), ("[fd00::1]", "(private"),
            ] {
                let response = try client.get("http://\(host)/latest/meta-data")
                try expectOwnAnswer(response, 403, mentions: ["address-forbidden", kind, "allowAddresses"])
            }
            // Forms that some resolvers read as an address are no hosts at all.
            for host in ["0177.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1"] {
                let client = try scene.client()
                defer { client.close() }
                try expectOwnAnswer(try client.get("http://\(host)/"), 400)
            }
            #expect(try client.get("\(scene.url)/").status == 200)
            #expect(other.connectionCount == 0)
            let lines = scene.proxy.log.text.split(separator: "\n").filter { $0.contains("warning request failed") }
            #expect(lines.count == 1 && lines.allSatisfy { $0.contains("address-forbidden") }, "\(lines)")
        }
    }

    @Test(
        "CONNECT to a host with a credential is refused, and the advice names the http:// form",
        arguments: ["HTTP/1.1", "HTTP/1.0"])
    func connectRefused(_ version: String) throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let host = version == "HTTP/1.1" ? "Host: \(scene.backend.authority)\r\n" : ""
            let response = try client.exchange("CONNECT \(scene.backend.authority) \(version)\r\n\(host)\r\n")
            try expectOwnAnswer(response, 403, mentions: ["http://127.0.0.1"])
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("The bytes after a refused CONNECT were meant for its tunnel, and are never run as a request")
    func connectWithRequestBehind() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                "CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n"
                    + "GET \(scene.backend.url)/ HTTP/1.1\r\nHost: \(scene.backend.authority)\r\n\r\n")
            let response = try client.response(to: "CONNECT")
            try expectOwnAnswer(response, 403)
            #expect(response.fields["Connection"] == "close")
            #expect(try client.endsNow())
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("A redirect is passed on, not followed")
    func redirect() throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        let bytes = Scripts.response("", status: "302 Found", fields: "Location: \(other.url)/elsewhere\r\n")
        try withScene(backend: Scripts.always(bytes)) { scene in
            let response = try scene.get()
            #expect(response.status == 302)
            #expect(response.fields["Location"] == "\(other.url)/elsewhere")
            #expect(other.connectionCount == 0)
        }
    }
}
