import ProxyCore
import Testing

@Suite struct HopByHopFieldTests {
    static let names = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Proxy-Authenticate",
        "Proxy-Authentication-Info", "TE", "Trailer", "Upgrade", "HTTP2-Settings",
    ]

    @Test("A hop-by-hop field ends here, in any case of letters", arguments: names)
    func dropped(_ name: String) throws {
        for spelling in [name, name.lowercased(), name.uppercased()] {
            #expect(
                try Forwarding().fields("A: 1", "\(spelling): x", "B: 2") == ["A: 1", "B: 2", viaLine, credentialLine])
        }
    }

    @Test(
        "A field that Connection names ends here",
        arguments: [
            "x-secret", "X-SECRET", "close, X-Secret", "X-Secret,,close", ", x-Secret ,", "keep-alive\t,\tX-Secret",
            "X-Other, X-Secret",
        ])
    func named(_ value: String) throws {
        let lines = try Forwarding().fields("X-Secret: 1", "Connection: \(value)", "A: 2", "x-secret: 3")
        #expect(lines == ["A: 2", viaLine, credentialLine])
    }

    @Test("Several Connection fields count as one list")
    func severalLists() throws {
        let lines = try Forwarding().fields(
            "Connection: X-A", "X-A: 1", "X-B: 2", "connection: keep-alive, X-B", "X-C: 3")
        #expect(lines == ["X-C: 3", viaLine, credentialLine])
    }

    @Test("Only the whole name counts")
    func wholeName() throws {
        let lines = try Forwarding().fields("Connection: X-A", "X-AB: 1", "X: 2", "X-A-: 3")
        #expect(lines == ["X-AB: 1", "X: 2", "X-A-: 3", viaLine, credentialLine])
    }

    @Test("Thirty-two names are all taken")
    func manyNames() throws {
        let names = (0..<32).map { "X-\($0)" }
        let fields = ["Connection: \(names.joined(separator: ", "))"] + names.map { "\($0): v" }
        let request = head(["GET http://a.example/ HTTP/1.1", "Host: a"] + fields + ["X-32: v"])
        #expect(try Forwarding().lines(request) == ["X-32: v", viaLine, credentialLine])
    }

    @Test(
        "Any end-to-end field that the proxy knows can be named too",
        arguments: ["Via: 1.0 x", "Date: now", "Traceparent: 00", "Content-Type: a/b", "Expect: 100-continue"])
    func knownField(_ field: String) throws {
        let name = String(field.prefix { $0 != ":" })
        let lines = try Forwarding().fields(field, "Connection: \(name)", "Content-Length: 1", method: "POST")
        #expect(lines == ["Content-Length: 1", viaLine, credentialLine])
    }

    @Test("Max-Forwards that Connection names ends here, with a number or without", arguments: ["5", "many"])
    func maxForwards(_ value: String) throws {
        let lines = try Forwarding().fields("Max-Forwards: \(value)", "Connection: max-forwards", method: "OPTIONS")
        #expect(lines == [viaLine, credentialLine])
    }

    @Test("What the proxy writes itself cannot be named away")
    func ownFields() throws {
        let request = head([
            "POST http://a.example/ HTTP/1.1", "Host: a.example", "Content-Length: 4",
            "Connection: Host, Content-Length, Transfer-Encoding, Via, Authorization, close",
        ])
        #expect(
            try Forwarding().forward(request).text
                == head(["POST / HTTP/1.1", "Host: backend.example", "Content-Length: 4", viaLine, credentialLine]))
    }
}
