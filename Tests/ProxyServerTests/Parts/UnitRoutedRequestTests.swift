import Support
import Testing

/// Which requests go to a backend and which Attaché refuses, by the configuration alone.
@Suite("A request is routed or refused")
struct UnitRoutedRequestTests {
    private func decide(_ url: String, method: String = "GET", _ layout: Layout) throws -> DecidedRequest {
        try DecidedRequest(request(to: url, method: method), layout)
    }

    @Test(
        "Each part of a route's match decides",
        arguments: [
            ("{ host: backend.test }", "GET", "http://BackEnd.Test/", true),
            ("{ host: backend.test }", "GET", "http://backend.test.evil.example/", false),
            ("{ host: backend.test }", "GET", "http://evil-backend.test/", false),
            ("{ host: \"*.test\" }", "GET", "http://a.test/", true),
            ("{ host: \"*.test\" }", "GET", "http://a.b.test/", true),
            ("{ host: \"*.test\" }", "GET", "http://test/", false),
            ("{ host: \"*.test\" }", "GET", "http://atest/", false),
            ("{ host: a.test, port: 81 }", "GET", "http://a.test:81/", true),
            ("{ host: a.test, port: 81 }", "GET", "http://a.test/", false),
            ("{ host: a.test, pathPrefix: /db/, methods: [GET, HEAD] }", "GET", "http://a.test/db/a", true),
            ("{ host: a.test, pathPrefix: /db/, methods: [GET, HEAD] }", "GET", "http://a.test/other", false),
            ("{ host: a.test, pathPrefix: /db/, methods: [GET, HEAD] }", "DELETE", "http://a.test/db/a", false),
            ("{ host: a.test, pathPrefix: /db/, methods: [GET, HEAD] }", "GET", "http://a.test/db/../other", false),
        ])
    func match(_ match: String, _ method: String, _ url: String, _ isTaken: Bool) throws {
        let decided = try decide(url, method: method, Layout(match: match))
        #expect((decided.sent != nil) == isTaken)
        #expect(decided.upstream == (isTaken ? "http://127.0.0.1:\(DecidedRequest.port)" : nil))
        if !isTaken { try expectOwnAnswer(#require(decided.refusal), 403) }
    }

    @Test("A listener that names its routes serves no other, and says so")
    func listenerRoutes() throws {
        var layout = Layout(listeners: ["{ address: 127.0.0.1:1, routes: [first] }", "{ address: 127.0.0.1:2 }"])
        layout.routesBefore = ["{ name: first, match: { host: a.test }, upstream: \"http://127.0.0.1:9\" }"]
        layout.match = "{ host: \"*.test\" }"
        #expect(try decide("http://a.test/", layout).route == "first")
        let refused = try decide("http://b.test/", layout)
        try expectOwnAnswer(
            #require(refused.refusal), 403, mentions: ["Route main takes b.test", "this listener does not serve it"])
        #expect(refused.sent == nil)
        try expectOwnAnswer(
            #require(try decide("http://b.example/", layout).refusal), 403, mentions: ["No route matches b.example"])
        layout.listeners.reverse()
        #expect(try decide("http://b.test/", layout).route == "main")
        layout.listeners.reverse()
        layout.top = ["unmatched: forward"]
        let forwarded = try decide("http://b.test/", layout)
        #expect(forwarded.route == nil && forwarded.upstream == "http://b.test:80")
        #expect(forwarded.sent?.fields["Authorization"] == nil)
    }

    @Test("A request for an https:// URL is never sent in plain text, unless the route allows it")
    func httpsTarget() throws {
        let (layout, target) = (Layout(match: "{ host: backend.test }"), "https://backend.test:9/x")
        let decided = try decide(target, layout)
        try expectOwnAnswer(
            #require(decided.refusal), 403,
            mentions: ["https://backend.test:9", "route main", "allowPlaintext: true"])
        #expect(decided.sent == nil && decided.route == "main")
        #expect(try decide("http://backend.test:9/x", layout).sent != nil)
        let allowed = Layout(route: ["allowPlaintext: true"], match: "{ host: backend.test }")
        #expect(try decide(target, allowed).sent != nil)
    }

    @Test(
        "TRACE is refused on a route with a credential, however it is written",
        arguments: ["TRACE", "trace", "Trace", "TRACK", "track"])
    func trace(_ method: String) throws {
        let decided = try DecidedRequest(request(method: method))
        try expectOwnAnswer(#require(decided.refusal), 403)
        #expect(decided.sent == nil && decided.route == "main")
    }

    @Test("TRACE is forwarded without a credential, as are methods whose names only begin with it")
    func forwardedTrace() throws {
        for method in ["TRACE", "trace", "TRACK"] {
            let decided = try DecidedRequest(request(method: method), Layout(route: ["credential: none"]))
            #expect(decided.sent?.method == method)
        }
        for method in ["TRAC", "TRACES", "TRACKS"] {
            #expect(try DecidedRequest(request(method: method)).sent?.method == method)
        }
    }

    @Test("A request in origin-form to the proxy itself is refused with advice")
    func originForm() throws {
        let decided = try DecidedRequest("GET /path HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
        try expectOwnAnswer(#require(decided.refusal), 400, mentions: ["send the whole URL in the request line"])
        #expect(decided.sent == nil)
    }

    private static let small = "headBytes: 4KiB"
    private static let few = "fieldCount: 10"

    @Test(
        "A head over a limit is refused with the limit's name",
        arguments: [
            ([small], 0, 5000, 0, 431, "4096 bytes (limits.headBytes)"),
            ([small], 5000, 0, 0, 414, "4096 bytes (limits.headBytes)"),
            ([few], 0, 0, 10, 431, "10 (limits.fieldCount)"), ([few], 0, 0, 101, 431, "10 (limits.fieldCount)"),
            ([few, "headBytes: 1MiB"], 0, 0, 20_000, 431, "10 (limits.fieldCount)"),
        ])
    func overLimit(
        _ limits: [String], _ targetSize: Int, _ valueSize: Int, _ count: Int, _ status: Int, _ limit: String
    ) throws {
        let value = String(repeating: "x", count: valueSize)
        let fields = "X: \(value)\r\n" + String(repeating: "X: y\r\n", count: max(0, count - 1))
        let path = "/" + String(repeating: "x", count: targetSize)
        let decided = try DecidedRequest(request(path, fields: fields), Layout(limits: limits))
        try expectOwnAnswer(#require(decided.refusal), status, mentions: [limit])
        #expect(decided.sent == nil)
    }

    @Test("As many fields as fieldCount are forwarded")
    func fieldCountReached() throws {
        let fields = String(repeating: "X: y\r\n", count: 9)
        #expect(
            try DecidedRequest(request(fields: fields), Layout(limits: [Self.few])).sent?.fields.all("X").count == 9)
    }

    @Test("A target of 8000 bytes works with the default settings")
    func eightThousand() throws {
        let path = "/" + String(repeating: "p", count: 8000)
        #expect(try DecidedRequest(request(path)).sent?.target == path)
    }
}
