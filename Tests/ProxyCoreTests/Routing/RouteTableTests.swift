import HTTPWire
import ProxyCore
import Testing

@Suite struct RouteTableTests {
    private func table(_ routes: Route..., unmatched: UnmatchedPolicy = .deny) -> RouteTable {
        RouteTable(routes: routes, unmatched: unmatched)
    }

    @Test(
        "An exact host matches only itself, in any case",
        arguments: [
            ("http://api.example/", true), ("http://API.Example/", true), ("http://api.example:8080/", true),
            ("http://api.example", true), ("http://xapi.example/", false), ("http://x.api.example/", false),
            ("http://api.example.evil/", false), ("http://pi.example/", false), ("http://API.example./", true),
            ("http://api-example/", false), ("http://example/", false),
            ("http://api.example.:8080/x", true), ("http://x.api.example./", false),
        ])
    func exactHost(_ target: String, _ isMatch: Bool) throws {
        let table = table(.fixed(.exact("api.example")))
        #expect(try decide(table, target) == (isMatch ? .route(0) : .denied))
    }

    @Test(
        "A wildcard takes every host below its domain, but not the domain",
        arguments: [
            ("http://a.example/", true), ("http://a.b.c.example/", true), ("http://A.EXAMPLE/", true),
            ("http://example/", false), ("http://aexample/", false), ("http://a.example.evil/", false),
            ("http://a.examples/", false), ("http://a.b.Example./", true), ("http://127.0.0.1/", false),
            ("http://example./", false),
        ])
    func wildcardHost(_ target: String, _ isMatch: Bool) throws {
        let table = table(.fixed(.suffix(".example")))
        #expect(try decide(table, target) == (isMatch ? .route(0) : .denied))
    }

    @Test("A table for some routes decides by them alone, and keeps their indices")
    func serving() throws {
        let whole = table(
            .fixed(.exact("a.example"), to: 0), .fixed(.suffix(".example"), to: 1),
            .fixed(.exact("a.example"), path: "/x", to: 2))
        let second = whole.serving(["r1"])
        #expect(try decide(second, "http://a.example/x") == .route(1))
        let third = whole.serving(["r2", "r9"])
        #expect(try decide(third, "http://a.example/x") == .route(2))
        #expect(try decide(third, "http://a.example/y") == .denied)
        #expect(try decide(third, "http://b.example/") == .denied)
        #expect(try decide(whole.serving([]), "http://a.example/") == .denied)
        #expect(try decide(whole.serving(nil), "http://a.example/x") == .route(0))
        let forwarding = table(.fixed(.exact("a.example"), to: 0), unmatched: .forward).serving([])
        let origin = Origin(scheme: .http, host: "a.example", port: 80)
        #expect(try decide(forwarding, "http://a.example/") == .unmatched(origin))
    }

    @Test("The first route that matches wins, whichever kind of host it has")
    func order() throws {
        let exact = Route.fixed(.exact("a.b.example"))
        let near = Route.fixed(.suffix(".b.example"))
        let far = Route.fixed(.suffix(".example"))
        let target = "http://a.b.example/"
        #expect(try decide(table(exact, near, far), target) == .route(0))
        #expect(try decide(table(far, near, exact), target) == .route(0))
        #expect(try decide(table(near, exact, far), target) == .route(0))
        #expect(try decide(table(far, exact), "http://x.example/") == .route(0))
        let other = Route.fixed(.exact("z.example"))
        #expect(try decide(table(other, far, exact, near), target) == .route(1))
        #expect(try decide(table(other, exact, exact), target) == .route(1))
        #expect(try decide(table(other, near, other, far), "http://q.b.example/") == .route(1))
    }

    @Test("If a route matches the host but not the rest, a later one gets the request")
    func fallThrough() throws {
        let table = table(
            .fixed(.exact("a.example"), path: "/db"), .fixed(.suffix(".example"), methods: ["POST"]),
            .fixed(.exact("a.example"), port: .exactly(8080)), .fixed(.suffix(".example")))
        #expect(try decide(table, "http://a.example/db/1") == .route(0))
        #expect(try decide(table, "http://a.example/x", method: "POST") == .route(1))
        #expect(try decide(table, "http://a.example:8080/x") == .route(2))
        #expect(try decide(table, "http://a.example/x") == .route(3))
        #expect(try decide(table, "http://b.example:8080/db", method: "PUT") == .route(3))
    }

    @Test(
        "The port is the one in the target, or its scheme's default",
        arguments: [
            ("http://a.example/", [true, true, true, false]), ("http://a.example:80/", [true, true, true, false]),
            ("http://a.example:0080/", [true, true, true, false]),
            ("http://a.example:443/", [true, true, false, true]),
            ("https://a.example/", [true, true, false, true]), ("https://a.example:443/", [true, true, false, true]),
            ("https://a.example:80/", [true, true, true, false]),
            ("http://a.example:81/", [true, false, false, false]),
            ("https://a.example:8443/", [true, false, false, false]),
        ])
    func port(_ target: String, _ expected: [Bool]) throws {
        let patterns: [PortPattern] = [.any, .schemeDefault, .exactly(80), .exactly(443)]
        for (pattern, isMatch) in zip(patterns, expected) {
            let table = table(.fixed(.exact("a.example"), port: pattern))
            #expect(try decide(table, target) == (isMatch ? .route(0) : .denied), "\(pattern)")
        }
    }

    @Test("A method is compared with case")
    func methods() throws {
        let table = table(.fixed(.exact("a.example"), methods: ["GET", "PATCH", "M-SEARCH"]))
        for method in ["GET", "PATCH", "M-SEARCH"] {
            #expect(try decide(table, "http://a.example/", method: method) == .route(0))
        }
        for method in ["get", "Get", "POST", "HEAD", "GETS", "GE", "PATC"] {
            #expect(try decide(table, "http://a.example/", method: method) == .denied)
        }
    }

    @Test("A request without a route is denied or goes to the host that it names", arguments: ["GET", "POST"])
    func unmatched(_ method: String) throws {
        let strict = table(.fixed(.exact("a.example")))
        #expect(try decide(strict, "http://b.example/", method: method) == .denied)
        let open = table(.fixed(.exact("a.example"), path: "/x"), unmatched: .forward)
        let expected: [(String, Origin)] = [
            ("http://B.Example/", Origin(scheme: .http, host: "b.example", port: 80)),
            ("http://b.example:443/", Origin(scheme: .http, host: "b.example", port: 443)),
            ("https://b.example/", Origin(scheme: .https, host: "b.example", port: 443)),
            ("https://b.example:80", Origin(scheme: .https, host: "b.example", port: 80)),
            ("http://[2001:DB8::1]:8080/", Origin(scheme: .http, host: "2001:db8::1", port: 8080)),
            ("http://a.example/y", Origin(scheme: .http, host: "a.example", port: 80)),
            ("http://b.example./", Origin(scheme: .http, host: "b.example.", port: 80)),
            ("http://a.example/x/../y", Origin(scheme: .http, host: "a.example", port: 80)),
        ]
        for (target, origin) in expected {
            #expect(try decide(open, target, method: method) == .unmatched(origin))
        }
    }

    @Test("A target that names no host is not for a proxy")
    func originForm() throws {
        for policy in [UnmatchedPolicy.deny, .forward] {
            let table = table(.fixed(.exact("other.example")), unmatched: policy)
            #expect(try decide(table, "/") == .notForAProxy)
            #expect(try decide(table, "//other.example/") == .notForAProxy)
            #expect(try decide(table, "*", method: "OPTIONS") == .notForAProxy)
            #expect(try decide(table, "other.example:443", method: "CONNECT") == .notForAProxy)
        }
    }

    @Test("An IPv6 host is matched without its brackets")
    func addresses() throws {
        let table = table(.fixed(.exact("::1")), .fixed(.exact("2001:db8::a")), .fixed(.exact("10.0.0.1")))
        #expect(try decide(table, "http://[::1]/") == .route(0))
        #expect(try decide(table, "http://[::1]:8080/x") == .route(0))
        #expect(try decide(table, "http://[2001:DB8::A]/") == .route(1))
        #expect(try decide(table, "http://10.0.0.1/") == .route(2))
        #expect(try decide(table, "http://[::2]/") == .denied)
        for spelling in ["::0001", "0:0:0:0:0:0:0:1", "0::1", "::0:1", "0000::0000:0001", "::0.0.0.1"] {
            #expect(try decide(table, "http://[\(spelling)]:8080/") == .route(0), "\(spelling)")
        }
        #expect(try decide(table, "http://[2001:0DB8:0::000A]/") == .route(1))
        #expect(try decide(table, "http://[2001:db8:0:0:0:0:0:a]/") == .route(1))
        let open = self.table(unmatched: .forward)
        let unmatched = RouteDecision.unmatched(Origin(scheme: .http, host: "2001:db8::1", port: 80))
        #expect(try decide(open, "http://[2001:DB8:0::0001]/") == unmatched)
        #expect(try decide(table, "http://[::ffff:10.0.0.1]/") == .route(2))
        #expect(try decide(table, "http://[::10.0.0.1]/") == .denied)
    }

    @Test(
        "A route without an upstream goes to the requested host over TLS",
        arguments: [
            ("http://A.example/", 443), ("http://a.example:80/", 443), ("http://a.example:443/", 443),
            ("https://a.example/", 443), ("https://a.example:443/", 443), ("https://a.example:80/", 443),
            ("http://a.example.", 443), ("http://A.Example.:8443/", 8443), ("http://a.example:8443/", 8443),
            ("https://a.example:8443/", 8443), ("http://a.example:1/", 1),
        ])
    func requestedHost(_ target: String, _ port: UInt16) throws {
        let expected = RouteDecision.requestedHost(0, Origin(scheme: .https, host: "a.example", port: port))
        #expect(try decide(table(.requested(.exact("a.example"), port: .any)), target) == expected)
        #expect(try decide(table(.requested(.suffix(".example"), port: .any)), target) == expected)
    }

    @Test("An https target is denied if the upstream is http, unless the route allows plaintext")
    func plaintext() throws {
        func route(_ scheme: Scheme, to host: String, allowPlaintext: Bool = false) -> Route {
            Route(
                name: "r", match: RouteMatch(host: .exact("a.example"), port: .any),
                upstream: .origin(Origin(scheme: scheme, host: host, port: 80)), allowPlaintext: allowPlaintext)
        }
        for target in ["https://a.example/", "HTTPS://a.example:80/", "https://a.example:8443/x"] {
            #expect(try decide(table(route(.http, to: "b.example")), target) == .plaintextDenied(0))
            // Loopback is no exception: whoever asks for https:// means that the backend is verified.
            #expect(try decide(table(route(.http, to: "127.0.0.1")), target) == .plaintextDenied(0))
            #expect(try decide(table(route(.http, to: "b.example", allowPlaintext: true)), target) == .route(0))
            #expect(try decide(table(route(.https, to: "b.example")), target) == .route(0))
        }
        #expect(try decide(table(route(.http, to: "b.example")), "http://a.example:443/") == .route(0))
    }

    @Test("A route has a fixed origin if host and port leave no choice, and requests go to it")
    func fixedOrigin() throws {
        let secure = Origin(scheme: .https, host: "a.example", port: 443)
        #expect(RouteTable.fixedOrigin(of: .requested(.exact("a.example"))) == secure)
        #expect(RouteTable.fixedOrigin(of: .requested(.exact("a.example"), port: .exactly(80))) == secure)
        #expect(RouteTable.fixedOrigin(of: .requested(.exact("a.example"), port: .exactly(443))) == secure)
        #expect(RouteTable.fixedOrigin(of: .requested(.exact("a.example"), port: .exactly(8443)))?.port == 8443)
        #expect(RouteTable.fixedOrigin(of: .requested(.exact("a.example"), port: .any)) == nil)
        #expect(RouteTable.fixedOrigin(of: .requested(.suffix(".example"))) == nil)
        let explicit = Origin(scheme: .http, host: "u7.example", port: 80)
        #expect(RouteTable.fixedOrigin(of: .fixed(.suffix(".example"), to: 7)) == explicit)
        #expect(try decide(table(.requested(.exact("a.example"))), "http://a.example/") == .route(0))
    }

    @Test("A thousand routes are distinguished")
    func manyRoutes() throws {
        let routes = (0..<1000).map { number in
            number.isMultiple(of: 3)
                ? Route.fixed(.suffix(".d\(number).example"), to: number)
                : Route.fixed(.exact("h\(number).example"), path: number.isMultiple(of: 2) ? "/p" : nil, to: number)
        }
        let table = RouteTable(routes: routes, unmatched: .deny)
        for number in 0..<1000 {
            let host = number.isMultiple(of: 3) ? "x.y.D\(number).example" : "H\(number).example"
            #expect(try decide(table, "http://\(host)/p/q") == .route(number))
        }
        #expect(try decide(table, "http://h1000.example/") == .denied)
    }

    @Test("A table without routes gives every request the same answer")
    func empty() throws {
        #expect(try decide(table(), "http://a.example/") == .denied)
        let origin = Origin(scheme: .http, host: "a.example", port: 80)
        #expect(try decide(table(unmatched: .forward), "http://a.example/") == .unmatched(origin))
    }
}
