import HTTPWire
import ProxyCore
import Support
import Testing

/// The table and the plain rules decide alike about routes and requests put together at random.
@Suite struct RouteDifferentialTests {
    private static let labels = ["a", "b", "api", "x-1"]
    private static let domains = ["example", "b.example", "test"]
    private static let methods = ["GET", "POST", "HEAD"]
    private static let ports: [UInt16] = [80, 443, 8080]
    private static let prefixes = ["/", "/a", "/a/", "/a/b", "/b"]
    private static let pieces = [
        "/", "/a", "/b", "a", ".", "..", "/..", "/.", "%2e", "%2E", "%2f", "%5C", "\\", ";", "x", "?", "%00", "%41",
        "%", "%2", "//",
    ]

    @Test("The table agrees with the rules", arguments: 0..<20)
    func agrees(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let routes = (0..<Int.random(in: 0...8, using: &generator)).map { Self.route($0, &generator) }
            let unmatched: UnmatchedPolicy = generator.chance(1, of: 2) ? .deny : .forward
            let table = RouteTable(routes: routes, unmatched: unmatched)
            for _ in 0..<40 {
                let request = Self.request(&generator)
                let decision = try decide(table, request.target, method: request.method)
                let expected = ReferenceRouter.decide(routes, unmatched, request)
                #expect(decision == expected, "\(request) with \(routes.map(\.match))")
            }
        }
    }

    @Test("A route that the authority decides takes every path and method of that authority", arguments: 0..<20)
    func decidedByAuthority(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 3000 + seed)
        for _ in 0..<40 {
            let routes = (0..<Int.random(in: 1...4, using: &generator)).map { Self.route($0, &generator) }
            let table = RouteTable(routes: routes, unmatched: .deny)
            for _ in 0..<20 {
                var request = Self.request(&generator)
                guard case .route(let index) = try decide(table, request.target, method: request.method),
                    table.isDecidedByAuthority(index)
                else { continue }
                for path in ["", "/", "/a/b", "?q"] {
                    request.path = path
                    for method in Self.methods {
                        #expect(try decide(table, request.target, method: method) == .route(index), "\(request)")
                    }
                }
            }
        }
    }

    @Test("A route that an earlier one covers takes no request", arguments: 0..<20)
    func covered(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 2000 + seed)
        for _ in 0..<40 {
            let routes = [Self.route(0, &generator), Self.route(1, &generator)]
            guard routes[0].match.covers(routes[1].match) else { continue }
            let (both, second) = (
                RouteTable(routes: routes, unmatched: .deny), RouteTable(routes: [routes[1]], unmatched: .deny)
            )
            for _ in 0..<40 {
                let request = Self.request(&generator)
                guard try decide(second, request.target, method: request.method) != .denied else { continue }
                let decision = try decide(both, request.target, method: request.method)
                let isFirst =
                    switch decision {
                    case .route(let index), .requestedHost(let index, _), .plaintextDenied(let index): index == 0
                    case .unmatched, .denied, .notForAProxy: false
                    }
                #expect(isFirst, "\(request) with \(routes.map(\.match))")
            }
        }
    }

    @Test(
        "A match covers only narrower ones",
        arguments: [
            (match("*.example"), match("a.example"), true), (match("*.example"), match("*.b.example"), true),
            (match("*.example"), match("*.example"), true), (match("a.example"), match("*.example"), false),
            (match("a.example"), match("b.example"), false), (match("*.example"), match("bexample"), false),
            (match(), match(port: .exactly(1)), true), (match(port: .exactly(1)), match(), false),
            (match(port: .schemeDefault), match(port: .exactly(443)), true),
            (match(port: .schemeDefault), match(port: .exactly(8080)), false),
            (match(path: "/"), match(), true), (match(path: "/a"), match(), false),
            (match(path: "/a"), match(path: "/a/b"), true), (match(path: "/a"), match(path: "/ab"), false),
            (match(path: "/a/"), match(path: "/a/b"), true), (match(path: "/a/"), match(path: "/a"), false),
            (match(methods: ["GET", "PUT"]), match(methods: ["PUT"]), true), (match(methods: ["GET"]), match(), false),
            (match(), match(methods: ["GET"]), true), (match(methods: ["GET"]), match(methods: ["GET", "PUT"]), false),
        ])
    func covering(_ wide: RouteMatch, _ narrow: RouteMatch, _ isCovered: Bool) {
        #expect(wide.covers(narrow) == isCovered)
    }

    private static func match(
        _ host: String = "a.example", port: PortPattern = .any, path: String? = nil, methods: [String] = []
    ) -> RouteMatch {
        RouteMatch(
            host: host.hasPrefix("*") ? .suffix(String(host.dropFirst())) : .exact(host), port: port, pathPrefix: path,
            methods: methods)
    }

    @Test("The table agrees with the rules about paths", arguments: 0..<10)
    func agreesAboutPaths(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 1000 + seed)
        for prefix in Self.prefixes {
            let routes = [Route.fixed(.exact("a.example"), path: prefix)]
            let table = RouteTable(routes: routes, unmatched: .deny)
            for _ in 0..<200 {
                var request = Self.request(&generator)
                (request.host, request.path) = ("a.example", prefix + Self.path(&generator))
                let decision = try decide(table, request.target, method: request.method)
                #expect(decision == ReferenceRouter.decide(routes, .deny, request), "\(prefix): \(request.path)")
            }
        }
    }

    private static func host(_ generator: inout SeededGenerator) -> String {
        if generator.chance(1, of: 8) { return generator.pick(["::1", "2001:db8::a", "127.0.0.1"], else: "::1") }
        let domain = generator.pick(domains, else: "example")
        return generator.chance(1, of: 4) ? domain : "\(generator.pick(labels, else: "a")).\(domain)"
    }

    private static func route(_ number: Int, _ generator: inout SeededGenerator) -> Route {
        let domain = generator.pick(domains, else: "example")
        let port = generator.pick(
            [.any, .schemeDefault, .exactly(generator.pick(ports, else: 80))], else: PortPattern.any)
        let match = RouteMatch(
            host: generator.chance(1, of: 3) ? .suffix(".\(domain)") : .exact(host(&generator)), port: port,
            pathPrefix: generator.chance(1, of: 2) ? generator.pick(prefixes, else: "/") : nil,
            methods: generator.chance(1, of: 3) ? Array(methods.shuffled(using: &generator).prefix(2)) : [])
        let origin = Origin(scheme: generator.chance(1, of: 2) ? .http : .https, host: "u\(number)", port: 80)
        return Route(
            name: "r\(number)", match: match,
            upstream: generator.chance(1, of: 2) ? .origin(origin) : .requestedHostOverTLS,
            allowPlaintext: generator.chance(1, of: 4))
    }

    private static func request(_ generator: inout SeededGenerator) -> ReferenceRouter.Request {
        let host = host(&generator)
        let spelled = String(host.map { generator.chance(1, of: 3) ? Character($0.uppercased()) : $0 })
        return ReferenceRouter.Request(
            scheme: generator.pick(["http", "https", "HTTP", "Https"], else: "http"), host: spelled,
            port: generator.chance(1, of: 2) ? generator.pick(ports, else: 80) : nil,
            path: generator.chance(1, of: 6) ? "" : "/\(path(&generator))", method: generator.pick(methods, else: "GET")
        )
    }

    private static func path(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in generator.pick(pieces, else: "/") }.joined()
    }
}
