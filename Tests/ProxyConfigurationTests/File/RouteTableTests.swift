import ProxyConfiguration
import ProxyCore
import Testing

@Suite("Every key of a route: good, wrong type, out of range")
struct RouteTableTests {
    private static let host = "match: { host: a.example }"

    static let cases: [SettingCase] = [
        .init(host), .init("name: r, \(host)"), .init("\(host), credential: x"), .init("\(host), credential: none"),
        .init("name: 'a b', \(host)", "routes[0].name: is not a name"),
        .init("name: [], \(host)", "routes[0].name: is a list"),
        .init("name: r", "routes[0]: match is missing"), .init("match: a.example", "routes[0].match: is not a mapping"),
        .init("match: {}", "routes[0].match: host is missing"),
        .init("match: { host: '*.example' }"), .init("match: { host: 10.0.0.1 }"), .init("match: { host: '::1' }"),
        .init("match: { host: '[::1]' }"),
        .init("match: { host: '*' }", "routes[0].match.host: would take every host"),
        .init("match: { host: 'a.*' }", "routes[0].match.host: is not a host name"),
        .init("match: { host: '*.10.0.0.1' }", "routes[0].match.host: has a \"*\" before an address"),
        .init("match: { host: 'a.example:80' }", "routes[0].match.host: holds a port or a scheme"),
        .init("match: { host: 'https://a.example' }", "routes[0].match.host: holds a port or a scheme"),
        .init("match: { host: a.example/x }", "routes[0].match.host: is not a host name"),
        .init("match: { host: [a] }", "routes[0].match.host: is a list"),
        .init("match: { host: a.example, port: 1 }"), .init("match: { host: a.example, port: 65535 }"),
        .init("match: { host: a.example, port: 0 }", "routes[0].match.port: is out of range"),
        .init("match: { host: a.example, port: 65536 }", "routes[0].match.port: is out of range"),
        .init("match: { host: a.example, port: http }", "routes[0].match.port: is not a number"),
        .init("match: { host: a.example, pathPrefix: /a/%20 }"),
        .init("match: { host: a.example, pathPrefix: a }", "routes[0].match.pathPrefix: does not begin with"),
        .init("match: { host: a.example, pathPrefix: '/a?b' }", "routes[0].match.pathPrefix: holds a character"),
        .init("match: { host: a.example, pathPrefix: '/a b' }", "routes[0].match.pathPrefix: holds a character"),
        .init("match: { host: a.example, pathPrefix: /v1/../x }", "routes[0].match.pathPrefix: has a segment"),
        .init("match: { host: a.example, pathPrefix: /v1/. }", "routes[0].match.pathPrefix: has a segment"),
        .init("match: { host: a.example, pathPrefix: /v1/%2e%2E/ }", "routes[0].match.pathPrefix: has a segment"),
        .init("match: { host: a.example, pathPrefix: /v1/..x/.well-known/x.. }"),
        .init("match: { host: a.example, methods: [GET, PROPFIND] }"),
        .init("match: { host: a.example, methods: [get] }", "routes[0].match.methods[0]: is not a method"),
        .init("match: { host: a.example, methods: [CONNECT] }", "routes[0].match.methods[0]: tunnels do not follow"),
        .init("match: { host: a.example, methods: [] }", "routes[0].match.methods: is empty"),
        .init("match: { host: a.example, methods: GET }", "routes[0].match.methods: is not a list"),
        .init("match: { host: a.example, path: /a }", "routes[0].match.path: unknown key"),
        .init("\(host), upstream: https://b.example"), .init("\(host), upstream: 'http://b.example:8080/'"),
        .init("\(host), upstream: https://b.example/x", "routes[0].upstream: holds a path"),
        .init("\(host), upstream: https://u:p@b.example", "routes[0].upstream: holds a user name or password"),
        .init("\(host), upstream: b.example", "routes[0].upstream: is not a URL"),
        .init("\(host), upstream: [a]", "routes[0].upstream: is a list; write a URL"),
        .init(
            "\(host), credential: y", "routes[0].credential: names a credential that does not exist; did you mean x?"),
        .init(
            "\(host), credential: other",
            "routes[0].credential: names a credential that does not exist; write x or none"),
        .init(
            "\(host), credential: bound",
            "routes[0].credential: names a credential that does not exist; VCAP_SERVICES holds"),
        .init("\(host), credential:", "routes[0].credential: has no value"),
        .init("\(host), authorization: replace"), .init("\(host), authorization: keep"),
        .init("\(host), authorization: drop", "routes[0].authorization: is none of the words"),
        .init("\(host), refreshOn: invalidToken"), .init("\(host), refreshOn: unauthorized"),
        .init("\(host), refreshOn: never"),
        .init("\(host), refreshOn: always", "routes[0].refreshOn: is none of the words"),
        .init(
            "\(host), refreshOn: any",
            "routes[0].refreshOn: is none of invalidToken, unauthorized or never; did you mean"),
        .init(
            "\(host), retryOn401: any",
            "routes[0].retryOn401: is no longer a key; write refreshOn: invalidToken, unauth"),
        .init("\(host), refreshOn: [{ status: 401 }, { status: 400, contains: Unknown kid }]"),
        .init("\(host), refreshOn: [{ status: 302, field: Location, contains: /login }]"),
        .init("\(host), refreshOn: { status: 401 }", "routes[0].refreshOn: is a mapping; write a list of conditions"),
        .init("\(host), refreshOn: []", "routes[0].refreshOn: is empty; write conditions"),
        .init("\(host), refreshOn: [401]", "routes[0].refreshOn[0]: is not a mapping"),
        .init("\(host), refreshOn: [{ contains: x }]", "routes[0].refreshOn[0]: status is missing"),
        .init(
            "\(host), refreshOn: [{ status: 200 }]",
            "routes[0].refreshOn[0].status: is out of range; write a number from 300"),
        .init("\(host), refreshOn: [{ status: 600 }]", "routes[0].refreshOn[0].status: is out of range"),
        .init("\(host), refreshOn: [{ status: any }]", "routes[0].refreshOn[0].status: is not a number"),
        .init(
            "\(host), refreshOn: [{ status: 401, field: X }]", "routes[0].refreshOn[0].field: needs contains beside it"),
        .init(
            "\(host), refreshOn: [{ status: 401, field: 'a b', contains: x }]",
            "routes[0].refreshOn[0].field: is not the name of a field"),
        .init("\(host), refreshOn: [{ status: 401, contains: '' }]", "routes[0].refreshOn[0].contains: is empty"),
        .init(
            "\(host), refreshOn: [{ status: 401, contains: \(String(repeating: "x", count: 257)) }]",
            "routes[0].refreshOn[0].contains: is longer than 256 bytes"),
        .init(
            "\(host), refreshOn: [{ status: 401, body: x }]", "routes[0].refreshOn[0].body: unknown key; the keys of a"),
        .init("\(host), timeouts: { response: 90s, streamIdle: 1h }"), .init("\(host), timeouts: { response: 1ms }"),
        .init("\(host), timeouts: {}"), .init("\(host), timeouts: 5s", "routes[0].timeouts: is not a mapping"),
        .init("\(host), timeouts: { response: 25h }", "routes[0].timeouts.response: is out of range"),
        .init("\(host), timeouts: { streamIdle: 5 }", "routes[0].timeouts.streamIdle: is not a duration"),
        .init(
            "\(host), timeouts: { idle: 5s }",
            "routes[0].timeouts.idle: unknown key; the keys of timeouts are response or streamIdle"),
        .init("\(host), upstreamProxy: http://p", "routes[0].upstreamProxy: is not supported yet"),
        .init(
            "\(host), credential: x, upstream: http://b.example",
            "routes[0].upstream: would carry the credential in plain text"),
        .init(
            "\(host), credential: x, upstream: http://b.example, allowPlaintext: false",
            "routes[0].upstream: would carry"),
        .init("\(host), credential: x, upstream: http://127.evil.example", "routes[0].upstream: would carry"),
        .init("\(host), credential: x, upstream: http://b.example, allowPlaintext: true"),
        .init("\(host), credential: x, upstream: http://127.0.0.2:1"),
        .init("\(host), credential: x, upstream: 'http://[::1]:1'"),
        .init("\(host), credential: x, upstream: http://localhost"), .init("\(host), upstream: http://b.example"),
        .init("\(host), allowPlaintext: no", "routes[0].allowPlaintext: is not a boolean"),
        .init("\(host), tls: { caFile: /ca.pem, serverName: c.example }"),
        .init("\(host), tls: { caFile: /none }", "routes[0].tls.caFile: the file it names: no such file"),
        .init("\(host), tls: { caFile: /empty }", "routes[0].tls.caFile: the file it names holds no certificate"),
        .init("\(host), tls: { serverName: 'a b' }", "routes[0].tls.serverName: is not a host name"),
        .init("\(host), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }"),
        .init("\(host), tls: { clientCertificate: /c }", "routes[0].tls.clientCertificate: needs clientKey beside it"),
        .init("\(host), tls: { clientKey: /c }", "routes[0].tls.clientKey: needs clientCertificate beside it"),
        .init(
            "\(host), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /p256.pem }",
            "routes[0].tls.clientCertificate: will not do: the client certificate and"),
        .init(
            "\(host), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /none }",
            "routes[0].tls.clientKey: the file it names: no such file"),
        .init(
            "\(host), upstream: http://localhost, tls: { clientCertificate: /c, clientKey: /c }",
            "routes[0].tls.clientCertificate: has no use with an http:// upstream"),
        .init("\(host), upsteam: x", "routes[0].upsteam: unknown key; did you mean upstream?"),
        .init("\(host), colour: red", "routes[0].colour: unknown key; the keys of a route are name, match, upstream"),
    ]

    @Test("One route, one verdict with its place", arguments: cases)
    func verdict(route: SettingCase) {
        let found = problems("credentials: { x: { type: file, path: /token } }\nroutes:\n  - { \(route.text) }\n")
        guard let problem = route.problem else {
            #expect(found == [])
            return
        }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("a.yaml:3:") == true)
        #expect(found.first?.contains(": \(problem)") == true, "\(found)")
    }

    @Test("What is read is what was written")
    func values() throws {
        let configuration = try load(
            """
            credentials: { x: { type: file, path: /token } }
            routes:
              - { name: r, match: { host: A.Example, port: 81, pathPrefix: /p, methods: [GET] }, upstream: "https://B.example:8443",
                  credential: x, authorization: keep, refreshOn: [{ status: 401, field: X-Error, contains: old }, { status: 400, contains: Bad }],
                  allowPlaintext: true, timeouts: { response: 90s }, tls: { caFile: /ca.pem, serverName: C.example } }
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
                    ]), allowPlaintext: true, timeouts: RouteTimeouts(response: .seconds(90)),
                    tls: UpstreamTLS(caFile: "/ca.pem", serverName: "c.example")),
                Route(
                    name: "*.example", match: RouteMatch(host: .suffix(".example"), port: .schemeDefault),
                    upstream: .requestedHostOverTLS),
                Route(
                    name: "::1", match: RouteMatch(host: .exact("::1"), port: .any),
                    upstream: .origin(Origin(scheme: .http, host: "127.0.0.1", port: 80))),
            ])
    }

    @Test("Two routes of one given name are refused")
    func duplicates() {
        let found = problems(
            "routes:\n  - { name: r, match: { host: a.example } }\n  - { name: r, match: { host: b.example } }\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("a.yaml:3:13: routes[1].name: is a route of a name that another has") == true)
    }

    @Test("A credential with a fault is not reported as missing too")
    func faultyCredential() {
        let found = problems(
            "credentials: { x: { type: file } }\nroutes: [{ match: { host: a.example }, credential: x }]\n")
        #expect(found.count == 1)
    }
}
