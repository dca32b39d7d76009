import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

/// What `check --url` says of a request, by the routing table that serves requests.
@Suite struct UnitRoutePreviewTests {
    private static let routes = [
        Route(
            name: "reports",
            match: RouteMatch(host: .exact("a.example"), port: .any, pathPrefix: "/v1", methods: ["GET"]),
            upstream: .origin(Origin(scheme: .https, host: "backend.example", port: 8443)), credential: "corp"),
        Route(
            name: "rest", match: RouteMatch(host: .exact("a.example"), port: .any),
            upstream: .origin(Origin(scheme: .http, host: "127.0.0.1", port: 9)), credential: "key",
            authorization: .keep),
        Route(
            name: "*.wild.example", match: RouteMatch(host: .suffix(".wild.example"), port: .schemeDefault),
            upstream: .requestedHostOverTLS),
        Route(
            name: "strict",
            match: RouteMatch(
                host: .exact("c.example"), port: .exactly(8080), pathPrefix: "/v1", methods: ["GET", "HEAD"]),
            upstream: .origin(Origin(scheme: .https, host: "c.example", port: 443))),
        Route(
            name: "other port", match: RouteMatch(host: .exact("c.example"), port: .exactly(9090)),
            upstream: .origin(Origin(scheme: .https, host: "c.example", port: 443))),
    ]

    private func lines(_ url: String, _ method: String = "GET", unmatched: UnmatchedPolicy = .deny) throws -> [String] {
        try report(url, method, unmatched: unmatched).lines
    }

    private func report(
        _ url: String, _ method: String = "GET", unmatched: UnmatchedPolicy = .deny
    ) throws -> RequestReport {
        let credentials = [
            CredentialConfiguration(name: "corp", source: .fixed(.literal("canary"))),
            CredentialConfiguration(name: "key", source: .fixed(.literal("canary")), header: "X-Api-Key"),
        ]
        let configuration = Configuration(credentials: credentials, routes: Self.routes, unmatched: unmatched)
        return try RoutePreview.report(url, method: method, of: configuration)
    }

    @Test(
        "If listeners serve different routes, the report is of the first that takes the request, and names those like it"
    )
    func listeners() throws {
        let all = Self.routes.map(\.name)
        let listeners = [
            ListenerConfiguration(host: "127.0.0.1", port: 1, routes: ["strict"]),
            ListenerConfiguration(address: .unix("/run/rest"), routes: ["rest", "*.wild.example"]),
            ListenerConfiguration(host: "127.0.0.1", port: 2, routes: all),
            ListenerConfiguration(host: "127.0.0.1", port: 3, routes: ["rest"]),
        ]
        let credentials = ["corp", "key"].map { CredentialConfiguration(name: $0, source: .fixed(.literal("canary"))) }
        let configuration = Configuration(listeners: listeners, credentials: credentials, routes: Self.routes)
        func lines(_ url: String) throws -> [String] {
            try RoutePreview.report(url, method: "GET", of: configuration).lines
        }
        let reports = try lines("http://a.example/v1")
        #expect(reports[1] == "listeners   unix:/run/rest, 127.0.0.1:3")
        #expect(reports[2] == "route       rest: host a.example, any port")
        #expect(try lines("http://b.wild.example/").contains("listeners   unix:/run/rest, 127.0.0.1:2"))
        #expect(try !lines("http://elsewhere.example/").contains { $0.hasPrefix("listeners") })
    }

    @Test("A URL of a gateway listener shows a request to that gateway")
    func gateway() throws {
        let route = Route(
            name: "api", match: RouteMatch(host: .nothing, port: .any, methods: ["GET"]),
            upstream: .origin(Origin(scheme: .https, host: "api.example", port: 443)), upstreamPath: "/v2",
            credential: "corp")
        let configuration = Configuration(
            listeners: [
                ListenerConfiguration(host: "127.0.0.1", port: 3128),
                ListenerConfiguration(host: "127.0.0.1", port: 3129, mode: .gateway(route: "api", hosts: ["sidecar"])),
            ], credentials: [CredentialConfiguration(name: "corp", source: .fixed(.literal("canary")))],
            routes: [route])
        for host in ["127.0.0.1", "localhost", "Sidecar"] {
            let report = try RoutePreview.report("http://\(host):3129/x?y", method: "GET", of: configuration)
            #expect(
                report.lines == [
                    "request     GET http://\(host):3129/x", "gateway     127.0.0.1:3129",
                    "route       api: host any, any port, method GET",
                    "credential  corp, in the field Authorization", "upstream    https://api.example:443/v2",
                ])
        }
        let refused = try RoutePreview.report("http://localhost:3129/x", method: "PUT", of: configuration)
        #expect(refused.refusal != nil && refused.lines.last?.contains("takes only the method GET") == true)
        for url in ["http://other:3129/", "http://localhost:3128/", "https://localhost:3129/", "http://localhost/"] {
            #expect(try RoutePreview.report(url, method: "GET", of: configuration).route == nil, "\(url)")
        }
    }

    @Test("The report has the route with its match, the credential with its field, and the upstream")
    func taken() throws {
        #expect(
            try lines("http://A.example/v1/x?key=canary#part") == [
                "request     GET http://A.example/v1/x",
                "route       reports: host a.example, any port, path /v1…, method GET",
                "credential  corp, in the field Authorization", "upstream    https://backend.example:8443",
            ])
        #expect(
            try lines("http://a.example/v1", "PUT") == [
                "request     PUT http://a.example/v1", "route       rest: host a.example, any port",
                "credential  key, in the field X-Api-Key, unless the app sends its own (authorization: keep)",
                "upstream    http://127.0.0.1:9",
            ])
        #expect(
            try lines("http://b.wild.example") == [
                "request     GET http://b.wild.example",
                "route       *.wild.example: host *.wild.example, port 80, 443 or none", "credential  none",
                "upstream    https://b.wild.example:443",
            ])
    }

    @Test(
        "A refusal is reported with its status and code",
        arguments: [
            ("http://other.example/", "GET", UnmatchedPolicy.deny, "403 destination-denied: No route matches"),
            ("https://a.example/", "PUT", .deny, "403 plaintext-denied: "),
            ("http://a.example/", "TRACE", .deny, "403 trace-denied: "),
            ("http://169.254.169.254/", "GET", .forward, "403 address-forbidden: 169.254.169.254:80 is at"),
            ("http://[fd00:ec2::254]/", "GET", .forward, "403 address-forbidden: [fd00:ec2::254]:80 is at"),
        ])
    func refused(_ url: String, _ method: String, _ unmatched: UnmatchedPolicy, _ refusal: String) throws {
        let lines = try lines(url, method, unmatched: unmatched)
        #expect(lines.last?.hasPrefix("refused     \(refusal)") == true, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("upstream") || $0.hasPrefix("credential") }, "\(lines)")
    }

    @Test(
        "If a route takes the host, the refusal names the route that comes closest and the part that differs",
        arguments: [
            ("http://c.example/v1", "GET", "Route strict takes the host of c.example, but only port 8080;"),
            (
                "http://C.example:8080/v2", "GET",
                "Route strict takes the host of C.example:8080, but only paths that begin with /v1;"
            ),
            (
                "http://c.example:8080/v1", "PUT",
                "Route strict takes the host of c.example:8080, but only the method GET or HEAD;"
            ),
            (
                "http://x.wild.example:81/", "GET",
                "Route *.wild.example takes the host of x.wild.example:81, but only port 80, 443 or none;"
            ),
            ("http://d.example/", "GET", "No route matches d.example;"),
        ])
    func nearest(_ url: String, _ method: String, _ reason: String) throws {
        let report = try report(url, method)
        #expect(report.refusal?.code == "destination-denied")
        #expect(report.refusal?.detail.contains(reason) == true, "\(report)")
    }

    @Test(
        "A refused request names the route that would take it",
        arguments: [("https://a.example/", "PUT", "rest"), ("http://a.example/", "TRACE", "rest")])
    func refusedRoute(_ url: String, _ method: String, _ route: String) throws {
        #expect(try report(url, method).route?.name == route)
    }

    @Test("A request that no route takes is forwarded without a credential if unmatched is forward")
    func unmatched() throws {
        #expect(
            try lines("http://other.example:81/x", unmatched: .forward) == [
                "request     GET http://other.example:81/x", "route       none (unmatched: forward)",
                "credential  none", "upstream    http://other.example:81",
            ])
    }

    @Test(
        "A text that is not a URL is refused",
        arguments: [
            "", "a.example", "/path", "ftp://a.example/", "http://a example/", "http://a\r\nX: y/", "http:///x",
        ])
    func unusable(_ url: String) {
        let error = #expect(throws: RoutePreview.UnusableRequest.self) { try lines(url) }
        #expect(error?.option == "--url")
    }

    @Test("A text that is not a method is refused by its option", arguments: ["", "GE T", "GÉT", "GET:", "CONNECT"])
    func unusable(method: String) {
        let error = #expect(throws: RoutePreview.UnusableRequest.self) { try lines("http://a.example/", method) }
        #expect(error?.option == "--method")
    }
}
