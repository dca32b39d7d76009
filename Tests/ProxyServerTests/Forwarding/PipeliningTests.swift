import EventTransport
import Support
import Testing

@testable import ProxyServer

@Suite("Many requests sent ahead")
struct PipeliningTests {
    private static let refused = "GET http://denied.example/ HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("do not delay another app until all of them are served")
    func turns() throws {
        let loop = try EventLoop()
        try withScene(loop: loop) { scene in
            let (flood, other) = (try scene.client(), try scene.client())
            defer {
                flood.close()
                other.close()
            }
            for client in [flood, other] { try expectOwnAnswer(client.get("http://denied.example/"), 403) }
            // Both find the loop standing still, the flood first.
            let (stopped, goesOn) = (Gate("the loop stands still"), Gate("the loop goes on"))
            defer { goesOn.open() }
            loop.execute {
                stopped.open()
                try? goesOn.wait()
            }
            try stopped.wait()
            try flood.send(String(repeating: Self.refused, count: 500))
            try other.send("GET http://other.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
            goesOn.open()
            for _ in 0..<500 { #expect(try flood.response().status == 403) }
            #expect(try other.response().status == 403)
            let log = try scene.accessLog(503)
            let place = try #require(log.firstIndex { $0.contains("other.example") })
            // Behind one turn of the flood, or a second one where the other's bytes were seen later.
            #expect(place <= 2 + 2 * RequestTurns.requestsPerTurn, "\(place)")
        }
    }

    @Test("may be followed by one that a backend answers")
    func forwardedLast() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                String(repeating: Self.refused, count: 40) + "GET \(scene.url)/last HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in 0..<40 { #expect(try client.response().status == 403) }
            #expect(try client.response().text == "/last")
        }
    }

    @Test("are all answered if the app has ended, and if the proxy drains", arguments: [true, false])
    func ends(byApp: Bool) throws {
        try withScene(Layout(gracePeriod: "30s")) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").status == 200)
            try client.send(String(repeating: Self.refused, count: 100))
            if byApp { client.socket.endWriting() } else { scene.proxy.drain() }
            for _ in 0..<100 { #expect(try client.response().status == 403) }
            #expect(try client.endsNow())
        }
    }
}
