import Support
import Testing

@Suite("The limits of a tunnel")
struct TunnelLimitTests {
    @Test("A tunnel is cut when neither side has sent anything for so long", arguments: [true, false])
    func idle(byRoute: Bool) throws {
        let layout = Layout(
            route: ["connect: tunnel"] + (byRoute ? ["timeouts: { tunnelIdle: 10m }"] : []),
            limits: ["tunnelIdleTimeout: \(byRoute ? "20m" : "10m")"])
        try withScene(layout, backend: Scripts.mirror) { scene in
            let client = try scene.tunnel()
            defer { client.close() }
            for _ in 0..<3 {
                try scene.pass(.seconds(500), after: client)
                try client.send("x")
                #expect(try client.receive(exactly: 1) == Array("x".utf8))
            }
            try scene.pass(.seconds(650), after: client)
            #expect(throws: SocketError.reset) { try client.receiveUntilEnd() }
            let line = try #require(try scene.accessLog(1).last)
            #expect(line.contains(#""code":"tunnel-idle""#), "\(line)")
            #expect(line.contains(byRoute ? "timeouts.tunnelIdle of its route" : "limits.tunnelIdleTimeout"), "\(line)")
            try scene.backend.waitUntilAllClosed()
        }
    }

    @Test("A tunnel is cut when it is too old, however busy it is")
    func whole() throws {
        try withScene(
            .tunnelling(limits: ["tunnelTimeout: 20m", "tunnelIdleTimeout: 10m"]), backend: Scripts.mirror
        ) { scene in
            let client = try scene.tunnel()
            defer { client.close() }
            for _ in 0..<3 {
                try client.send("x")
                #expect(try client.receive(exactly: 1) == Array("x".utf8))
                try scene.pass(.seconds(390), after: client)
            }
            #expect(!client.socket.canReceive(within: .zero))
            try scene.pass(.seconds(60), after: client)
            #expect(throws: SocketError.reset) { try client.receiveUntilEnd() }
            let line = try #require(try scene.accessLog(1).last)
            #expect(line.contains(#""code":"tunnel-timeout""#) && line.contains("limits.tunnelTimeout"), "\(line)")
        }
    }

    @Test("A reader that takes a little now and then is not idle, and one that takes nothing is")
    func slowReader() throws {
        let size = 12 << 20
        let script: ScriptedServer.Script = { connection in
            try? connection.send([UInt8](repeating: 7, count: size))
            connection.receiveUntilEnd()
        }
        try withScene(.tunnelling(limits: ["tunnelIdleTimeout: 10m"]), backend: script) { scene in
            let client = try scene.tunnel(receiveBuffer: 16_384)
            defer { client.close() }
            try scene.waitUntilBlocked()
            var received = 0
            for _ in 0..<5 {
                received += try client.receive(exactly: 100_000).count
                try scene.proxy.pass(.seconds(500))
            }
            received += try client.receive(exactly: 100_000).count
            try scene.waitUntilBlocked()
            let line = try scene.pass(.seconds(650), whileBlockedUntil: "the tunnel is cut")
            #expect(line.contains(#""code":"tunnel-idle""#), "\(line)")
            #expect(received == 600_000)
        }
    }

    @Test("A tunnel counts against limits.connections, and metrics show it while it is open and after")
    func counted() throws {
        try withScene(.tunnelling(limits: ["connections: 1"]), backend: Scripts.mirror) { scene in
            let client = try scene.tunnel()
            try client.send("12345")
            #expect(try client.receive(exactly: 5).count == 5)
            let other = try scene.client()
            defer { other.close() }
            #expect(try other.get("\(scene.url)/").status == 503)
            var metrics = try scene.proxy.admin("/metrics").text
            for line in [
                #"attache_tunnels{kind="connect"} 1"#, #"attache_tunnels_opened_total{kind="connect"} 1"#,
                #"attache_requests_total{route="main",code="200"} 1"#, #"attache_connections{side="upstream"} 1"#,
            ] { #expect(metrics.contains(line + "\n"), "\(line)") }
            client.close()
            _ = try scene.accessLog(1)
            metrics = try scene.proxy.admin("/metrics").text
            for line in [
                #"attache_tunnels{kind="connect"} 0"#, #"attache_tunnels_opened_total{kind="connect"} 1"#,
                #"attache_tunnel_bytes_total{kind="connect",direction="received"} 5"#,
                #"attache_connections{side="upstream"} 0"#,
            ] { #expect(metrics.contains(line + "\n"), "\(line)") }
        }
    }

    @Test(
        "No tunnel leads to an address that is not public, unless connect.allow lists the address or allowAddresses opens it"
    )
    func special() throws {
        let other = try ScriptedServer(Scripts.mirror)
        defer { other.stop() }
        for (range, status) in [("10.0.0.0/8", 403), ("127.0.0.1", 200)] {
            let top = ["connect: { allow: [\"*:\(other.port)\"] }", "allowAddresses: [\(range)]"]
            try withScene(Layout(match: "{ host: backend.test }", top: top)) { scene in
                let client = try scene.client()
                defer { client.close() }
                try client.send("CONNECT localhost:\(other.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try client.response(to: "CONNECT")
                #expect(response.status == status)
                if status == 403 {
                    try expectOwnAnswer(response, 403, mentions: ["address-forbidden", "::1 (loopback)"])
                }
            }
        }
    }

    @Test("No tunnel leads to a link-local address that connect.allow does not list as an address")
    func linkLocal() throws {
        let top = ["connect: { allow: [\"*:80\"] }"]
        try withScene(Layout(match: "{ host: backend.test }", top: top)) { scene in
            for host in ["169.254.169.254", "[::ffff:169.254.169.254]", "[fe80::1]"] {
                let client = try scene.client()
                defer { client.close() }
                let response = try client.exchange("CONNECT \(host):80 HTTP/1.1\r\nHost: x\r\n\r\n")
                try expectOwnAnswer(response, 403, mentions: ["address-forbidden"])
            }
        }
    }

    @Test("A backend that cannot be reached is an answer to the CONNECT")
    func unreachable() throws {
        let closed = try ClosedPort()
        defer { closed.release() }
        let port = closed.number
        try withScene(Layout(top: ["connect: { allow: [\"127.0.0.1:\(port)\"] }"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: x\r\n\r\n")
            try expectOwnAnswer(response, 502, mentions: ["connection-refused"])
        }
    }

    @Test("A drain waits for tunnels, and cuts those that are left after the grace period")
    func drain() throws {
        try withScene(.tunnelling(limits: ["tunnelIdleTimeout: 24h"], gracePeriod: "10m"), backend: Scripts.mirror) {
            scene in
            let (first, second) = (try scene.tunnel(), try scene.tunnel())
            defer {
                first.close()
                second.close()
            }
            scene.proxy.drain()
            try Patience.poll("no connection is taken any more") { (try? scene.client()) == nil ? () : nil }
            try first.send("still")
            #expect(try first.receive(exactly: 5) == Array("still".utf8))
            first.endWriting()
            #expect(try first.endsNow())
            try scene.proxy.pass(.seconds(601))
            #expect(throws: SocketError.reset) { try second.receiveUntilEnd() }
            try scene.proxy.waitForEnd()
            let log = try scene.accessLog(2)
            #expect(log.count { $0.contains(#""code":"shutting-down""#) } == 1, "\(log)")
        }
    }
}
