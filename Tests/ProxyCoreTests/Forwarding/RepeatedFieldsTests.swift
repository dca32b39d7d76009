import HTTPWire
import ProxyCore
import Testing

/// Requests whose fields repeat those of an earlier one, to the same or another destination.
@Suite struct RepeatedFieldsTests {
    private static let fields = [
        ["Accept: */*"], [], ["X-Api-Key: own"], ["Authorization: Bearer own"], ["Authorization: Negotiate own"],
        ["Connection: close, X-A", "X-A: 1", "X-B:2"], ["Expect: 100-continue", "Content-Length: 3"],
        ["Expect: 100-continue"], ["Max-Forwards: 3"], ["Via: 1.1 attache"], ["Via: 1.1 other"],
        ["Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: k", "Sec-WebSocket-Version: 13"],
        ["Transfer-Encoding: chunked", "DPoP: own"], ["traceparent: t"],
        ["X-Long: \(String(repeating: "l", count: 1100))"],
    ]
    private static let lines = [
        "GET http://h/ HTTP/1.1", "GET http://h/ HTTP/1.0", "POST http://h/x?y HTTP/1.1", "OPTIONS http://h HTTP/1.1",
        "TRACE http://h/ HTTP/1.1",
    ]

    private static func rules(_ number: (Int) -> Int?) -> [UpstreamRequestHead.Rules] {
        let host = HostLine(Origin(scheme: .https, host: "backend.example", port: 443))
        let (authorization, key) = (Array("authorization".utf8), Array("x-api-key".utf8))
        return [
            .init(number: number(1), host: host, credentialName: nil, keepsAuthorization: true),
            .init(number: number(2), host: host, credentialName: authorization, keepsAuthorization: false),
            .init(number: number(3), host: host, credentialName: authorization, keepsAuthorization: true),
            .init(number: number(4), host: host, credentialName: key, keepsAuthorization: false),
            .init(
                number: number(5), host: host, credentialName: authorization, keepsAuthorization: false,
                provesPossession: true, droppedNames: [Array("traceparent".utf8)], path: Array("/v1".utf8)),
        ]
    }

    @Test("They are forwarded like the first of their kind, whatever was forwarded in between")
    func repeated() {
        let (known, fresh) = (Self.rules { $0 }, Self.rules { _ in nil })
        let shared = FieldLines()
        for fields in Self.fields + Self.fields {
            for _ in 0..<9 {
                for line in Self.lines {
                    let bytes = latin1(head([line, "Host: h"] + fields))
                    for (rules, plain) in zip(known, fresh) {
                        let first = Self.forwarded(bytes, plain, FieldLines())
                        #expect(Self.forwarded(bytes, rules, shared) == first)
                        #expect(Self.forwarded(bytes, rules, shared) == first)
                    }
                }
            }
        }
    }

    /// What goes to the backend, and what is known of it; nil if the head is refused.
    private static func forwarded(
        _ bytes: [UInt8], _ rules: UpstreamRequestHead.Rules, _ fields: FieldLines
    ) -> [String]? {
        guard let parsed = try? RequestHead.parse(bytes.span, limits: HeadLimits(), fields: fields) else { return nil }
        let head = UpstreamRequestHead(parsed, in: bytes.span, rules: rules, into: OutputBuffer())
        var out = OutputBuffer()
        head.appendWithoutCredential(to: &out)
        let facts = [
            head.isOrdinary, head.carriesOwnCredential, head.isAmbiguous, head.authenticatesConnection,
            head.hasComeBack,
            head.hasUpgrade, head.asksForWebSocket,
        ]
        return [out.text] + facts.map(\.description)
    }
}
