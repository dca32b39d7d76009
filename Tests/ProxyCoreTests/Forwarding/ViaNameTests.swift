import HTTPWire
import ProxyCore
import Testing

@Suite("The name of this process in Via")
struct ViaNameTests {
    private static let via = ViaName("attache-0451beef")

    /// Whether a request with these fields has come back, by both ways to ask.
    private func hasComeBack(_ fields: [String]) throws -> Bool {
        let bytes = latin1(head(["GET http://a.test/ HTTP/1.1", "Host: a.test"] + fields))
        let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let isNamed = Self.via.isNamed(by: parsed, in: bytes.span)
        let rules = UpstreamRequestHead.Rules(
            host: HostLine(Origin(scheme: .http, host: "a.test", port: 80)), credentialName: nil,
            keepsAuthorization: true,
            via: Self.via)
        let rewritten = UpstreamRequestHead(parsed, in: bytes.span, rules: rules, into: OutputBuffer())
        #expect(rewritten.hasComeBack == isNamed)
        var out = OutputBuffer()
        rewritten.appendWithoutCredential(to: &out)
        let text = out.withSpan { span in
            var copy: [UInt8] = []
            copy.append(copying: span)
            return String(decoding: copy, as: UTF8.self)
        }
        #expect(text.hasSuffix("\r\nVia: 1.1 attache-0451beef\r\n\r\n"))
        return isNamed
    }

    @Test(
        "A request that carries the name has come back",
        arguments: [
            ["Via: 1.1 attache-0451beef"], ["via: 1.0 ATTACHE-0451BEEF"], ["Via: 1.1 squid, 1.1 attache-0451beef"],
            ["Via: 1.1 attache-0451beef (a comment), 1.1 other"], ["Via: HTTP/1.1 attache-0451beef:3128"],
            ["Via: 1.1 squid", "VIA: 1.1 attache-0451beef"], ["Via: 1.1 squid,1.1\tattache-0451beef,"],
            ["Via: 1.1 attache-0451beef", "Connection: via"],
        ])
    func back(_ fields: [String]) throws { #expect(try hasComeBack(fields)) }

    @Test(
        "Any other has not: another proxy, another Attaché, or the name as a part of another word",
        arguments: [
            [], ["Via: 1.1 squid"], ["Via: 1.1 attache-0451bee0"], ["Via: 1.1 attache"], ["Via:"],
            ["Via: 1.1 xattache-0451beef"], ["Via: 1.1 attache-0451beef0"], ["Via: 1.1 attache-0451beef.example"],
            ["X-Via: 1.1 attache-0451beef"], ["Vib: attache-0451beef"],
        ])
    func other(_ fields: [String]) throws { #expect(try !hasComeBack(fields)) }
}
