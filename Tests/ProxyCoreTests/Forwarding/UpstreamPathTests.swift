import HTTPWire
import ProxyCore
import Testing

@Suite("The path of an upstream, and the app's Host")
struct UpstreamPathTests {
    /// The request line and the `Host` line that go to the backend.
    private func start(
        _ requestLine: String, host: String? = "127.0.0.1:3129", path: String = "/v2", preservesHost: Bool = false
    ) throws -> [String] {
        let bytes = latin1(head([requestLine] + (host.map { ["Host: \($0)"] } ?? []) + ["X: y"]))
        let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let origin = Origin(scheme: .https, host: "api.example", port: 8443)
        let rules = UpstreamRequestHead.Rules(
            host: HostLine(origin), credentialName: Array("authorization".utf8), keepsAuthorization: false,
            path: Array(path.utf8), preservesHost: preservesHost)
        let upstreamHead = UpstreamRequestHead(parsed, in: bytes.span, rules: rules, into: OutputBuffer())
        var out = OutputBuffer()
        upstreamHead.append(with: AuthorizationLine(name: "Authorization", value: "Bearer t"), to: &out)
        let lines = out.text.split(separator: "\r\n" as Character).map(String.init)
        #expect(lines.dropFirst(2) == ["X: y", "Via: \(requestLine.suffix(3)) attache", "Authorization: Bearer t"])
        return Array(lines.prefix(2))
    }

    @Test(
        "The upstream's path comes before the path of the request",
        arguments: [
            ("GET /users?x HTTP/1.1", "GET /v2/users?x HTTP/1.1"), ("GET / HTTP/1.1", "GET /v2/ HTTP/1.1"),
            ("GET //a HTTP/1.1", "GET /v2//a HTTP/1.1"), ("GET http://h/users HTTP/1.1", "GET /v2/users HTTP/1.1"),
            ("GET http://h HTTP/1.1", "GET /v2/ HTTP/1.1"), ("GET http://h?x HTTP/1.1", "GET /v2/?x HTTP/1.1"),
            ("GET /%2e HTTP/1.0", "GET /v2/%2e HTTP/1.1"),
            // These ask about the server as a whole.
            ("OPTIONS * HTTP/1.1", "OPTIONS * HTTP/1.1"), ("OPTIONS http://h HTTP/1.1", "OPTIONS * HTTP/1.1"),
            ("OPTIONS / HTTP/1.1", "OPTIONS /v2/ HTTP/1.1"),
        ])
    func joined(_ requestLine: String, _ expected: String) throws {
        #expect(try start(requestLine) == [expected, "Host: api.example:8443"])
    }

    @Test(
        "A preserved Host is that of the target, else that of the field, else the upstream's",
        arguments: [
            ("GET /x HTTP/1.1", "Shop.example:3129", "Shop.example:3129"),
            ("GET http://asked.example:81/x HTTP/1.1", "other.example", "asked.example:81"),
            ("GET /x HTTP/1.1", "", "api.example:8443"), ("GET /x HTTP/1.0", nil, "api.example:8443"),
            ("GET /x HTTP/1.1", "[::1]:3129", "[::1]:3129"),
        ])
    func preserved(_ requestLine: String, _ host: String?, _ expected: String) throws {
        let lines = try start(requestLine, host: host, path: "", preservesHost: true)
        #expect(lines == ["GET /x HTTP/1.1", "Host: \(expected)"])
    }

    @Test("A request with a dot segment does not match a route whose upstream has a path")
    func confined() throws {
        func route(_ path: String, prefix: String? = nil) -> Route {
            Route(
                name: "r", match: RouteMatch(host: .exact("a.example"), port: .any, pathPrefix: prefix),
                upstream: .origin(Origin(scheme: .https, host: "b.example", port: 443)), upstreamPath: path)
        }
        func decision(_ path: String, _ route: Route) throws -> RouteDecision {
            let bytes = latin1(head(["GET http://a.example\(path) HTTP/1.1", "Host: a.example"]))
            let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
            return RouteTable(routes: [route], unmatched: .deny).decide(parsed, in: bytes.span)
        }
        for path in ["/../admin", "/a/%2e%2e/b", "/..", "/a/./b", "/..;/b"] {
            #expect(try decision(path, route("/v2")) == .denied)
            #expect(try decision(path, route("/v2", prefix: "/")) == .denied)
            #expect(try decision(path, route("")) == .route(0))
        }
        for path in ["", "/", "?x", "/a..b", "/a?b=/../c"] {
            #expect(try decision(path, route("/v2")) == .route(0))
            #expect(try decision(path, route("/v2", prefix: "/")) == .route(0))
        }
    }

    @Test("A gateway's route takes a request by its path and method, whatever its match says of host and port")
    func gatewayMatch() throws {
        let route = Route(
            name: "r", match: RouteMatch(host: .nothing, port: .any, pathPrefix: "/db", methods: ["GET", "OPTIONS"]),
            upstream: .origin(Origin(scheme: .https, host: "b.example", port: 443)))
        let table = RouteTable(routes: [route], unmatched: .deny)
        func miss(_ requestLine: String) throws -> RouteMiss? {
            let bytes = latin1(head(["\(requestLine) HTTP/1.1", "Host: a.example"]))
            let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
            #expect(table.decide(parsed, in: bytes.span) == (requestLine.contains("://") ? .denied : .notForAProxy))
            return table.gatewayMiss(parsed, route: 0, in: bytes.span)
        }
        #expect(try miss("GET /db/x") == nil)
        #expect(try miss("GET http://127.0.0.1/db?x") == nil)
        #expect(try miss("GET /dbx") == .path)
        #expect(try miss("GET /db/../x") == .path)
        #expect(try miss("OPTIONS *") == .path)
        #expect(try miss("PUT /db/x") == .method)
    }
}
