import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing

@Suite("Every key of a route")
struct RouteTableTests {
    private static let host = "match: { host: a.example }"

    static let cases = [
        host,
        "name: r, \(host)",
        "\(host), credential: x",
        "\(host), credential: none",
        "match: { host: '*.example' }",
        "match: { host: 10.0.0.1 }",
        "match: { host: '::1' }",
        "match: { host: '[::1]' }",
        "match: { host: a.example, port: 1 }",
        "match: { host: a.example, port: 65535 }",
        "match: { host: a.example, pathPrefix: /a/%20 }",
        "match: { host: a.example, pathPrefix: /v1/..x/.well-known/x.. }",
        "match: { host: a.example, methods: [GET, PROPFIND] }",
        "\(host), upstream: https://b.example",
        "\(host), upstream: 'http://b.example:8080/'",
        "\(host), authorization: replace",
        "\(host), authorization: keep",
        "\(host), refreshOn: invalidToken",
        "\(host), refreshOn: unauthorized",
        "\(host), refreshOn: never",
        "\(host), refreshOn: [{ status: 401 }, { status: 400, contains: Unknown kid }]",
        "\(host), refreshOn: [{ status: 302, field: Location, contains: /login }]",
        "\(host), timeouts: { response: 90s, streamIdle: 1h }",
        "\(host), timeouts: { response: 1ms }",
        "\(host), timeouts: {}",
        "\(host), timeouts: { tunnelIdle: 1h }",
        "\(host), connect: deny",
        "\(host), connect: tunnel",
        "\(host), connect: terminate",
        "\(host), credential: x, upstream: http://b.example, allowPlaintext: true",
        "\(host), credential: x, upstream: http://127.0.0.2:1",
        "\(host), credential: x, upstream: 'http://[::1]:1'",
        "\(host), credential: x, upstream: http://localhost",
        "\(host), upstream: http://b.example",
        "\(host), tls: { caFile: /ca.pem, serverName: c.example }",
        "\(host), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }",
    ]

    @Test("A valid route is accepted", arguments: cases)
    func accepted(route: String) {
        #expect(problems("credentials: { x: { type: file, path: /token } }\nroutes:\n  - { \(route) }\n") == [])
    }

    @Test("The settings are read as they are written")
    func values() throws {
        let configuration = try load(
            """
            credentials: { x: { type: file, path: /token } }
            routes:
              - { name: r, match: { host: A.Example, port: 81, pathPrefix: /p, methods: [GET] }, upstream: "https://B.example:8443",
                  credential: x, authorization: keep, refreshOn: [{ status: 401, field: X-Error, contains: old }, { status: 400, contains: Bad }],
                  allowPlaintext: true, timeouts: { response: 90s, tunnelIdle: 3s },
                  tls: { caFile: /ca.pem, serverName: C.example }, connect: terminate }
              - match: { host: "*.Example" }
              - { match: { host: "[0::1]" }, upstream: "http://127.0.0.1" }
            """)
        #expect(
            configuration.routes == [
                Route(
                    name: "r",
                    match: RouteMatch(
                        host: .exact("a.example"), port: .exactly(81), pathPrefix: "/p", methods: ["GET"]),
                    upstream: .origin(Origin(scheme: .https, host: "b.example", port: 8443)), credential: "x",
                    authorization: .keep,
                    refreshOn: .conditions([
                        RefusalCondition(status: 401, evidence: .field(name: "x-error", contains: "old")),
                        RefusalCondition(status: 400, evidence: .body(contains: "Bad")),
                    ]), allowPlaintext: true, timeouts: RouteTimeouts(response: .seconds(90), tunnelIdle: .seconds(3)),
                    tls: UpstreamTLS(caFile: "/ca.pem", serverName: "c.example"), connect: .terminate),
                Route(
                    name: "*.example", match: RouteMatch(host: .suffix(".example"), port: .schemeDefault),
                    upstream: .requestedHostOverTLS),
                Route(
                    name: "::1", match: RouteMatch(host: .exact("::1"), port: .any),
                    upstream: .origin(Origin(scheme: .http, host: "127.0.0.1", port: 80))),
            ])
    }

    @Test("A credential with a problem is not reported as missing too")
    func faultyCredential() {
        let found = problems(
            "credentials: { x: { type: file } }\nroutes: [{ match: { host: a.example }, credential: x }]\n")
        #expect(found.count == 1)
    }
}
