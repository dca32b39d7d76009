import HTTPWire
import ProxyCore
import Support
import Testing

/// Requests put together at random, with the app's credential in them under every name that it may have.
@Suite struct ForwardingWalkTests {
    private static let canary = "canary"
    private static let fields = [
        "Authorization: Basic canary", "AUTHORIZATION:canary", "authorization: \t canary", "X-Api-Key: canary",
        "x-API-key:canary", "Proxy-Authorization: Basic canary", "Connection: Authorization",
        "Connection: close, X-Api-Key", "Connection: X-Trace", "Connection: Host, Via", "TE: trailers", "X-Trace: 1",
        "Accept: */*", "Cookie: a=b", "Via: 1.0 x", "Keep-Alive: timeout=5", "Upgrade: websocket", "Max-Forwards: 3",
        "Expect: 100-continue", "X-High: \u{e9}", "Date:", "X-Authorization: fine",
    ]
    private static let names = ["Authorization", "X-Api-Key"]

    @Test("No byte of an app's replaced credential is forwarded, and the head stays one head")
    func walks() throws {
        var generator = SeededGenerator(seed: 0xF0)
        for _ in 0..<3000 {
            let credential = generator.pick(Self.names, else: "Authorization")
            let forwarding = Forwarding(credential: credential)
            let request = Self.request(&generator, replaced: credential)
            let (text, carriesOwn) = try forwarding.forward(request)
            #expect(!carriesOwn)
            #expect(!text.contains(Self.canary), "\(request)")
            #expect(text.hasSuffix("\r\n\(credential): \(Forwarding.token)\r\n\r\n"), "\(text)")

            let bytes = latin1(text)
            let sent = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
            #expect(sent.byteCount == bytes.count, "more than one head leaves: \(text)")
            let original = latin1(request)
            let asked = try #require(try RequestHead.parse(original.span, limits: HeadLimits()))
            #expect(sent.framing == asked.framing)
            #expect(sent.isPersistent)
            #expect(sent.connection == [])
            let known = (0..<sent.fields.count).map { sent.fields[$0].known }
            #expect(!known.contains { $0.isHopByHop && $0 != .transferEncoding })
            #expect(known.count { $0 == .host } == 1)
            #expect(known.count { $0 == .authorization } == (credential == "Authorization" ? 1 : 0))
        }
    }

    @Test("Kept fields stay in their order")
    func order() throws {
        var generator = SeededGenerator(seed: 0x0DE)
        for _ in 0..<1000 {
            let count = Int.random(in: 1...40, using: &generator)
            var (sent, kept): ([String], [String]) = ([], [])
            for number in 0..<count {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: sent.append("X-Named: \(number)")
                case 1: sent.append("Keep-Alive: \(number)")
                default:
                    let line = "X-\(Int.random(in: 0..<3, using: &generator)): \(number)"
                    sent.append(line)
                    kept.append(line)
                }
            }
            sent.insert("Connection: x-named", at: Int.random(in: 0...sent.count, using: &generator))
            let lines = try Forwarding().lines(head(["GET http://a.example/ HTTP/1.1", "Host: a"] + sent))
            #expect(lines == kept + [viaLine, credentialLine])
        }
    }

    private static func request(_ generator: inout SeededGenerator, replaced credential: String) -> String {
        let framing = ["", "Content-Length: 5", "Transfer-Encoding: chunked"]
        var lines: [String] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            lines.append(generator.pick(fields, else: "X: y"))
        }
        // A field that is not the route's credential is the app's business.
        if credential == "Authorization" { lines.removeAll { $0.lowercased().hasPrefix("x-api-key") } }
        lines.append("Host: a.example")
        let chosen = generator.pick(framing, else: "")
        if !chosen.isEmpty { lines.append(chosen) }
        lines.shuffle(using: &generator)
        return head(["\(generator.pick(["GET", "POST", "OPTIONS"], else: "GET")) http://a.example/p HTTP/1.1"] + lines)
    }
}
