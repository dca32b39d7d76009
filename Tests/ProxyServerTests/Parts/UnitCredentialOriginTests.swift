import Support
import Testing

@testable import ProxyServer

/// A credential goes to the origin of its route's upstream, however a request names that origin or another one.
@Suite("The origin that gets a credential")
struct UnitCredentialOriginTests {
    /// A request by its target and Host, and what becomes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let target: String
        var host: String?
        let outcome: Outcome

        var testDescription: String { "\(target), Host: \(host ?? "-")" }

        init(_ target: String, host: String? = "other.test", _ outcome: Outcome) {
            (self.target, self.host, self.outcome) = (target, host, outcome)
        }
    }

    enum Outcome: Equatable, Sendable {
        /// The credential goes to the upstream of its route.
        case attached
        /// The request goes to this origin, without a credential.
        case bare(String)
        case refused(Int)
    }

    /// A route for one host, while everything else is forwarded without a credential.
    private static let layout = Layout(
        route: ["connect: terminate"], match: "{ host: api.test, port: 80 }", upstream: "http://127.0.0.1:8080",
        top: ["unmatched: forward"])

    private func expect(_ row: Row, through way: DecidedRequest.Way, _ layout: Layout = layout) throws {
        let host = row.host.map { "Host: \($0)\r\n" } ?? ""
        let decided = try DecidedRequest("GET \(row.target) HTTP/1.1\r\n\(host)\r\n", layout, through: way)
        switch row.outcome {
        case .attached:
            let sent = try #require(decided.sent, "\(String(describing: decided.refusal))")
            #expect(sent.fields.all("Authorization") == [DecidedRequest.value])
            #expect(decided.upstream == "http://127.0.0.1:8080" && decided.route == "main")
            #expect(sent.fields.all("Host") == ["127.0.0.1:8080"])
        case .bare(let origin):
            let sent = try #require(decided.sent, "\(String(describing: decided.refusal))")
            #expect(sent.fields["Authorization"] == nil && !sent.head.contains(DecidedRequest.value))
            #expect(decided.upstream == origin && decided.route == nil)
        case .refused(let status):
            #expect(decided.refusal?.status == status, "\(String(describing: decided.sent))")
        }
    }

    private static let absolute = [
        Row("http://api.test/", .attached), Row("HTTP://API.Test/", .attached), Row("http://api.test./", .attached),
        Row("http://API.TEST.:80/x?y", .attached), Row("http://api.test:00080/", .attached),
        Row("http://api.test/http://evil.test/", .attached), Row("http://api.test/@evil.test", .attached),
        // Another port, and another host in every disguise.
        Row("http://api.test:8080/", .bare("http://api.test:8080")),
        Row("http://api.test:8080/", host: "api.test", .bare("http://api.test:8080")),
        Row("http://evil.test/", host: "api.test", .bare("http://evil.test:80")),
        Row("http://evil.test:80/", host: "api.test:80", .bare("http://evil.test:80")),
        Row("http://evil.test/?http://api.test/", .bare("http://evil.test:80")),
        Row("http://evil.test?@api.test/", .bare("http://evil.test:80")),
        Row("http://evil.test/@api.test", .bare("http://evil.test:80")),
        Row("http://api.test.evil.test/", .bare("http://api.test.evil.test:80")),
        Row("http://xapi.test/", .bare("http://xapi.test:80")),
        Row("http://x.api.test/", .bare("http://x.api.test:80")),
        Row("http://apiatest/", .bare("http://apiatest:80")), Row("http://test/", .bare("http://test:80")),
        // User information, and what one parser takes for it and another for a host.
        Row("http://user@api.test/", .refused(400)), Row("http://user:password@api.test/", .refused(400)),
        Row("http://api.test@evil.test/", .refused(400)), Row("http://evil.test@api.test/", .refused(400)),
        Row("http://api.test:80@evil.test/", .refused(400)), Row("http://evil.test#@api.test/", .refused(400)),
        Row("http://evil.test\\@api.test/", .refused(400)), Row("http://api.test\\.evil.test/", .refused(400)),
        Row("http://api.test%2Fevil.test/", .refused(400)), Row("http://api%2etest/", .refused(400)),
        Row("http://api.test../", .refused(400)), Row("http://.api.test/", .refused(400)),
        Row("http://api.test:/", .refused(400)), Row("http://api.test:0/", .refused(400)),
        Row("http://api.test:65616/", .refused(400)), Row("http://api.test:80:80/", .refused(400)),
        Row("http:/api.test/", .refused(400)), Row("http:api.test", .refused(400)),
        Row("http:///api.test/", .refused(400)),
        Row("ftp://api.test/", .refused(400)), Row("https://api.test/", .bare("https://api.test:443")),
        Row("http://api.test/", host: "api.test, evil.test", .refused(400)),
        Row("http://api.test/", host: "evil.test@api.test", .refused(400)),
    ]

    @Test("With a proxy, the target alone decides", arguments: absolute)
    func forward(_ row: Row) throws { try expect(row, through: .forward) }

    @Test("Inside a terminated CONNECT, an absolute target decides as with a proxy", arguments: absolute)
    func absoluteInside(_ row: Row) throws { try expect(row, through: .terminated("api.test:80")) }

    @Test(
        "Inside a terminated CONNECT, a path means the place of the tunnel, and any other Host is refused",
        arguments: [
            Row("/", host: "api.test", .attached), Row("/", host: "API.TEST.", .attached),
            Row("/", host: "api.test:80", .attached), Row("//evil.test/", host: "api.test", .attached),
            Row("/@evil.test", host: "api.test", .attached), Row("/", host: "evil.test", .refused(400)),
            Row("/", host: "api.test:8080", .refused(400)), Row("/", host: "api.test.evil.test", .refused(400)),
            Row("/", host: "user@api.test", .refused(400)), Row("/", host: "127.0.0.1:8080", .refused(400)),
        ])
    func inside(_ row: Row) throws { try expect(row, through: .terminated("api.test:80")) }

    @Test(
        "Through a gateway, every path goes to the upstream, and every other name is refused",
        arguments: [
            Row("/", host: "127.0.0.1:3129", .attached), Row("/", host: "LocalHost", .attached),
            Row("/", host: "localhost.:3129", .attached), Row("//evil.test/", host: "localhost", .attached),
            Row("/http://evil.test/", host: "localhost", .attached), Row("/@evil.test", host: "localhost", .attached),
            Row("http://localhost:3129/", .attached), Row("/", host: "evil.test", .refused(421)),
            Row("/", host: "api.test", .refused(421)), Row("/", host: "localhost.evil.test", .refused(421)),
            Row("/", host: "user@localhost", .refused(400)),
            Row("http://evil.test:3129/", host: "localhost", .refused(400)),
            Row("http://localhost/", .refused(400)), Row("http://localhost:8080/", .refused(400)),
            Row("http://user@localhost:3129/", .refused(400)), Row("https://localhost:3129/", .refused(400)),
        ])
    func gateway(_ row: Row) throws { try expect(row, through: .gateway) }

    @Test(
        "Where the request chooses the host below a name, the credential goes there over TLS and nowhere else",
        arguments: [
            ("http://a.wild.test/", "https://a.wild.test:443"),
            ("https://A.WILD.TEST.:443/", "https://a.wild.test:443"),
            ("http://wild.test/", nil), ("http://a.wild.test.evil.test/", nil), ("http://awild.test/", nil),
            ("http://a.wild.test:8443/", nil),
        ] as [(String, String?)])
    func wildcard(_ target: String, _ origin: String?) throws {
        var layout = Self.layout
        layout.routesBefore = ["{ name: wild, match: { host: \"*.wild.test\" }, credential: main }"]
        let decided = try DecidedRequest("GET \(target) HTTP/1.1\r\nHost: a.wild.test\r\n\r\n", layout)
        let sent = try #require(decided.sent)
        #expect(sent.fields.all("Authorization") == (origin == nil ? [] : [DecidedRequest.value]))
        if let origin { #expect(decided.upstream == origin) }
    }
}
