import HTTPWire
import ProxyCore
import Testing

@Suite("A request head for a parent proxy")
struct AbsoluteFormTests {
    private static let authorization = "Proxy-Authorization: Basic canary\r\n"

    /// The lines that go to the proxy.
    private func lines(
        _ requestLine: String, fields: [String] = [], path: String = "", port: UInt16 = 8080, authorization: String = ""
    ) throws -> [String] {
        let bytes = latin1(head([requestLine, "Host: app.example"] + fields))
        let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let rules = UpstreamRequestHead.Rules(
            host: HostLine(Origin(scheme: .http, host: "backend.example", port: port)),
            credentialName: Array("authorization".utf8), keepsAuthorization: false, path: Array(path.utf8),
            parent: ParentAuthorization(line: Array(authorization.utf8)))
        let upstreamHead = UpstreamRequestHead(parsed, in: bytes.span, rules: rules, into: OutputBuffer())
        var out = OutputBuffer()
        upstreamHead.append(with: AuthorizationLine(name: "Authorization", value: "Bearer t"), to: &out)
        return out.text.split(separator: "\r\n" as Character).map(String.init)
    }

    @Test(
        "has its target in absolute-form, with the backend's authority",
        arguments: [
            ("GET http://app.example/users?x HTTP/1.1", "GET http://backend.example:8080/users?x HTTP/1.1"),
            ("GET http://app.example HTTP/1.1", "GET http://backend.example:8080/ HTTP/1.1"),
            ("GET http://app.example?x HTTP/1.1", "GET http://backend.example:8080/?x HTTP/1.1"),
            ("GET /users HTTP/1.1", "GET http://backend.example:8080/users HTTP/1.1"),
            ("OPTIONS * HTTP/1.1", "OPTIONS http://backend.example:8080 HTTP/1.1"),
            ("OPTIONS http://app.example HTTP/1.1", "OPTIONS http://backend.example:8080 HTTP/1.1"),
        ])
    func target(_ requestLine: String, _ expected: String) throws {
        #expect(try lines(requestLine).prefix(2) == [expected, "Host: backend.example:8080"])
    }

    @Test("has the upstream's path, and no default port")
    func path() throws {
        #expect(
            try lines("GET http://app.example/users HTTP/1.1", path: "/v2", port: 80).prefix(2)
                == ["GET http://backend.example/v2/users HTTP/1.1", "Host: backend.example"])
    }

    @Test("has the credentials for the proxy, and none of the app's own")
    func credentials() throws {
        let own = ["Proxy-Authorization: Basic app", "Proxy-Connection: keep-alive", "X: y"]
        let all = try lines("GET http://a/ HTTP/1.1", fields: own, authorization: Self.authorization)
        #expect(
            all.dropFirst(2) == [
                "Proxy-Authorization: Basic canary", "X: y", "Via: 1.1 attache", "Authorization: Bearer t",
            ])
        let plain = try lines("GET http://a/ HTTP/1.1", fields: own)
        #expect(plain.dropFirst(2) == ["X: y", "Via: 1.1 attache", "Authorization: Bearer t"])
    }
}
