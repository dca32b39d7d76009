import Support
import Testing

/// The first request of a connection is answered; the second meets a connection that dies.
private func dyingConnection(_ death: @escaping ScriptedServer.Script) -> ScriptedServer.Script {
    { connection in
        guard connection.number == 0 else {
            try Scripts.echo(connection)
            return
        }
        _ = try connection.request()
        try connection.send(Scripts.response("first"))
        try death(connection)
    }
}

@Suite("Requests are sent again only if that is safe")
struct ResendTests {
    enum Death {
        case close
        case reset
        case firstByte

        var script: ScriptedServer.Script {
            { connection in
                _ = try connection.request()
                switch self {
                case .close: break
                case .reset: connection.reset()
                case .firstByte: try connection.send("HTTP/1.1 2")
                }
            }
        }
    }

    @Test(
        "An idempotent request is sent again once if its reused connection ends without a byte, and no other request is",
        arguments: [
            ("GET", "", Death.close, 200), ("HEAD", "", .close, 200), ("OPTIONS", "", .close, 200),
            ("DELETE", "", .close, 200), ("GET", "", .reset, 200), ("GET", "", .firstByte, 502),
            ("POST", "Content-Length: 2\r\n\r\nhi", .close, 502),
            // Without content, but the backend may have acted on the last chunk.
            ("POST", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .close, 502),
        ])
    func reused(_ method: String, _ body: String, _ death: Death, _ status: Int) throws {
        try withScene(backend: dyingConnection(death.script)) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "first")
            let response = try client.exchange(
                "\(method) \(scene.url)/second HTTP/1.1\r\nHost: x\r\n\(body.isEmpty ? "\r\n" : body)",
                method: method)
            if status == 200 {
                #expect(response.status == 200)
            } else {
                try expectOwnAnswer(response, status)
            }
            let again = status == 200 ? ["/second"] : []
            #expect(scene.backend.requests.map(\.target) == ["/", "/second"] + again)
        }
    }

    @Test(
        "A PUT is sent again with a body of up to replayBytes, whether or not the route has a credential",
        arguments: ["main", "none"], [("1KiB", 1024, 200), ("1KiB", 1025, 502), ("0", 1, 502), ("0", 0, 200)])
    func putWithBody(_ credential: String, _ put: (limit: String, size: Int, status: Int)) throws {
        let layout = Layout(route: ["credential: \(credential)"], limits: ["replayBytes: \(put.limit)"])
        try withScene(layout, backend: dyingConnection { _ = try $0.request() }) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "first")
            let body = String(repeating: "b", count: put.size)
            let response = try client.exchange(
                "PUT \(scene.url)/second HTTP/1.1\r\nHost: x\r\nContent-Length: \(put.size)\r\n\r\n\(body)")
            #expect(response.status == put.status)
            #expect(scene.backend.requests.count == (put.status == 200 ? 3 : 2))
        }
    }

    @Test("A request is sent again once, not for ever")
    func onlyOnce() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            guard connection.number == 0 else { return }
            try connection.send(Scripts.response("first"))
            _ = try connection.request()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "first")
            try expectOwnAnswer(client.get("\(scene.url)/second"), 502)
            #expect(scene.backend.requests.count == 3)
        }
    }

    @Test("A request that times out is not sent again")
    func timeOut() throws {
        try withScene(Layout(limits: ["responseTimeout: 10m"]), backend: dyingConnection { try Scripts.silent($0) }) {
            scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "first")
            try client.send("GET \(scene.url)/second HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("the second request") { $0.requests.count == 2 }
            try scene.proxy.pass(.seconds(660))
            try expectOwnAnswer(client.response(), 504)
            #expect(scene.backend.requests.count == 2)
        }
    }
}
