import HTTPWire
import ProxyCore
import Testing

/// Where a CONNECT leads, by `connect` and the routes.
@Suite struct ConnectDecisionTests {
    private typealias Pattern = ConnectRules.Pattern

    private static let rules = ConnectRules(
        allow: [
            Pattern(host: .exact("a.test"), port: 443), Pattern(host: .suffix(".open.test"), port: 443),
            Pattern(host: .exact("named.test"), port: 443), Pattern(host: .exact("localhost"), port: 443),
            Pattern(host: .exact("::1"), port: 443), Pattern(host: .exact("169.254.1.1"), port: 80),
        ],
        deny: [Pattern(host: .exact("no.open.test"), port: 443), Pattern(host: .exact("denied.test"), port: 443)])

    private static func route(_ host: String, _ connect: ConnectPolicy?, credential: String? = nil) -> Route {
        Route(
            name: host, match: RouteMatch(host: .exact(host), port: .any), upstream: .requestedHostOverTLS,
            credential: credential, connect: connect)
    }

    private static let routes = [
        route("kept.test", nil, credential: "main"), route("tunnel.test", .tunnel, credential: "main"),
        route("inside.test", .terminate, credential: "main"), route("denied.test", .tunnel),
        route("a.test", nil), route("b.open.test", .deny), route("two.test", nil), route("two.test", .terminate),
    ]

    private func decide(_ place: String, _ rules: ConnectRules = rules) throws -> ConnectDecision {
        let table = RouteTable(routes: Self.routes, unmatched: .deny, connect: rules)
        let bytes = Array("CONNECT \(place) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        guard case .authority(let host, let port) = head.target else {
            Issue.record("no authority in \(place)")
            return .forbidden
        }
        return table.decideConnect(host: host, port: port, in: bytes.span)
    }

    @Test(
        "connect.allow lists hosts with their ports",
        arguments: [
            ("a.test:443", "a.test", .host), ("A.TEST.:443", "a.test", .host),
            ("x.open.test:443", "x.open.test", .none), ("named.test:443", "named.test", .none),
            ("[0::1]:443", "::1", .address), ("localhost:443", "localhost", .address),
        ] as [(String, String, DestinationTrust)])
    func allowed(_ place: String, _ host: String, _ trust: DestinationTrust) throws {
        #expect(try decide(place) == .tunnel(host: host, port: 443, route: nil, trust: trust))
    }

    @Test(
        "Everything else is denied",
        arguments: ["a.test:80", "open.test:443", "xopen.test:443", "b.a.test:443", "[::2]:443", "169.254.1.2:80"])
    func denied(_ place: String) throws { #expect(try decide(place) == .denied(route: nil)) }

    @Test("A tunnel leads to an address that is not public only if connect.allow lists that very address")
    func namedAddress() throws {
        #expect(
            try decide("169.254.1.1:80") == .tunnel(host: "169.254.1.1", port: 80, route: nil, trust: .address))
        let any = ConnectRules(allow: [Pattern(host: .suffix(""), port: 80)])
        #expect(
            try decide("169.254.1.1:80", any)
                == .tunnel(host: "169.254.1.1", port: 80, route: nil, trust: .none))
    }

    @Test("connect.deny wins over connect.allow and over routes", arguments: ["no.open.test:443", "denied.test:443"])
    func forbidden(_ place: String) throws { #expect(try decide(place) == .forbidden) }

    @Test("The first route of the host that says something decides, whatever the port and connect.allow")
    func byRoute() throws {
        #expect(try decide("kept.test:443") == .denied(route: 0))
        #expect(try decide("kept.test:8443") == .denied(route: 0))
        #expect(
            try decide("tunnel.test:22") == .tunnel(host: "tunnel.test", port: 22, route: 1, trust: .host))
        #expect(try decide("inside.test:80") == .terminate(host: "inside.test", port: 80, route: 2))
        #expect(try decide("b.open.test:443") == .denied(route: 5))
        #expect(try decide("two.test:80") == .terminate(host: "two.test", port: 80, route: 7))
    }

    @Test(
        "An IPv4-mapped address is the IPv4 address that connect lists",
        arguments: [
            "10.0.0.1:443", "[::ffff:10.0.0.1]:443", "[::FFFF:a00:1]:443", "[0:0:0:0:0:ffff:10.0.0.1]:443",
        ])
    func mapped(_ place: String) throws {
        let all = ConnectRules(
            allow: [Pattern(host: .suffix(""), port: 443)], deny: [Pattern(host: .exact("10.0.0.1"), port: 443)])
        #expect(try decide(place, all) == .forbidden)
    }

    @Test(
        "On port 80 or 443, routes for that very port count beside those for URLs without a port",
        arguments: [true, false])
    func explicitPort(_ isFirst: Bool) throws {
        let secure = Route(
            name: "443", match: RouteMatch(host: .exact("both.test"), port: .exactly(443)),
            upstream: .requestedHostOverTLS, connect: .deny)
        let bare = Route(
            name: "bare", match: RouteMatch(host: .exact("both.test"), port: .exactly(80)),
            upstream: .requestedHostOverTLS, connect: isFirst ? .tunnel : nil)
        let table = RouteTable(
            routes: isFirst ? [secure, bare] : [bare, secure], unmatched: .deny,
            connect: ConnectRules(allow: [Pattern(host: .exact("both.test"), port: 443)]))
        let bytes = Array("both.test".utf8)
        let decision = table.decideConnect(host: ByteRange(0, bytes.count), port: 443, in: bytes.span)
        #expect(decision == .denied(route: isFirst ? 0 : 1))
    }

    @Test("connect.routes holds for routes with a credential that say nothing")
    func forRoutes() throws {
        let rules = ConnectRules(routes: .terminate)
        #expect(try decide("kept.test:80", rules) == .terminate(host: "kept.test", port: 80, route: 0))
        #expect(try decide("b.open.test:80", rules) == .denied(route: 5))
        #expect(try decide("a.test:443", rules) == .denied(route: nil))
    }
}
