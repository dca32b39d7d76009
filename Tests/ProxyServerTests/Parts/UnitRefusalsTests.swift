import HTTPWire
import ProxyCore
import Testing

@testable import ProxyServer

/// What the refusal of a request advises, by the routes that there are.
@Suite struct UnitRefusalsTests {
    private static func table(
        credential: String? = nil, unmatched: UnmatchedPolicy = .deny, hasRoute: Bool = true, port: PortPattern = .any,
        connect: ConnectPolicy? = nil
    ) -> RouteTable {
        let route = Route(
            name: "b", match: RouteMatch(host: .exact("b.test"), port: port),
            upstream: .origin(Origin(scheme: .http, host: "127.0.0.1", port: 9)), credential: credential,
            connect: connect)
        return RouteTable(routes: hasRoute ? [route] : [], unmatched: unmatched)
    }

    /// The refusal of a CONNECT to a host and port, and the first line of its answer.
    private func connect(_ place: String, _ table: RouteTable) throws -> (detail: String, firstLine: Substring?) {
        let bytes = Array("CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let error = Refusals.connect(head, in: bytes.span, table)
        var out = OutputBuffer()
        ErrorResponse(error).append(to: &out, isHead: false, closes: true)
        var answer: [UInt8] = []
        out.withSpan { answer.append(copying: $0) }
        return (error.detail, String(decoding: answer, as: UTF8.self).split(separator: "\r\n").first)
    }

    @Test(
        "The reason phrase of a refused CONNECT says what to change, depending on the port",
        arguments: [
            ("443", "Ask for http:// not https://", "Ask for http://b.test/ instead of https://b.test/"),
            ("80", "Send http:// without CONNECT", "proxyTunnel: false"),
            ("8443", "Ask for http:// without CONNECT", "Ask for http://b.test:8443/ instead of https://b.test:8443/"),
        ])
    func connectAdvice(_ port: String, _ reason: String, _ advice: String) throws {
        let refusal = try connect("b.test:\(port)", Self.table(credential: "main"))
        #expect(refusal.firstLine == "HTTP/1.1 403 \(reason)")
        #expect(refusal.detail.hasPrefix("A CONNECT tunnel cannot carry a credential. "))
        #expect(refusal.detail.contains(advice), "\(refusal.detail)")
        if port == "80" { #expect(!refusal.detail.contains("https://")) }
    }

    @Test("The refusal of CONNECT to a host whose route has no credential does not mention one")
    func connectWithoutCredential() throws {
        let detail = try connect("b.test:443", Self.table()).detail
        #expect(
            detail.hasPrefix("connect.allow does not list b.test:443. Ask for http://b.test/ instead of"), "\(detail)")
        #expect(!detail.contains("credential"))
    }

    @Test("The refusal of CONNECT by a route with connect: deny names the route, not connect.allow")
    func connectDeniedByRoute() throws {
        let detail = try connect("b.test:443", Self.table(connect: .deny)).detail
        #expect(detail.hasPrefix("Route b has connect: deny. Ask for http://b.test/ instead of"), "\(detail)")
    }

    @Test(
        "The refusal of CONNECT to a host without a route says that it has none",
        arguments: [
            ("443", UnmatchedPolicy.deny, "http://elsewhere.example/"),
            ("443", .forward, "http://elsewhere.example/"), ("80", .deny, "http://elsewhere.example/"),
            ("8443", .deny, "http://elsewhere.example:8443/"), ("8443", .forward, "http://elsewhere.example:8443/"),
        ], [true, false])
    func connectElsewhere(_ request: (String, UnmatchedPolicy, String), _ hasOtherRoute: Bool) throws {
        let place = "elsewhere.example:\(request.0)"
        let table = Self.table(credential: "main", unmatched: request.1, hasRoute: hasOtherRoute)
        let refusal = try connect(place, table)
        #expect(refusal.firstLine == "HTTP/1.1 403 No route for this host")
        for part in ["No route matches \(place),", "Add a route", "ask for \(request.2),", "NO_PROXY"] {
            #expect(refusal.detail.contains(part), "\(refusal.detail)")
        }
        #expect(!refusal.detail.contains("credential"))
    }

    @Test("The refusal of CONNECT to another port of a route's host names the route and the ports that it takes")
    func connectOtherPort() throws {
        let refusal = try connect("b.test:8443", Self.table(port: .schemeDefault))
        #expect(refusal.firstLine == "HTTP/1.1 403 No route for this host")
        for part in ["takes b.test, but only port 80, 443 or none", "match.port: 8443", "b.test:8443 to connect.allow"]
        {
            #expect(refusal.detail.contains(part), "\(refusal.detail)")
        }
    }

    @Test("The refusal of CONNECT to port 80 of such a host says to send no CONNECT if the request would be forwarded")
    func connectForwarded() throws {
        let detail = try connect("elsewhere.example:80", Self.table(unmatched: .forward)).detail
        #expect(detail.contains("Send GET http://elsewhere.example/ to the proxy without CONNECT"), "\(detail)")
    }
}
