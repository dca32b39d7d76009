import ProxyConfiguration
import Support
import Testing

@Suite("Warnings")
struct WarningTests {
    // The tests' certificate is good from 2026-11-22T07:51:20Z to 2126-10-29T07:51:20Z.
    private static let start: Int64 = 1_795_333_880
    private static let end: Int64 = 4_948_933_880
    private static let day: Int64 = 86_400

    private static let pair = "tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }"

    struct Moment: Sendable {
        let name: String
        let time: Int64
        let warning: String?
    }

    static let moments = [
        Moment(
            name: "a second too early", time: start - 1,
            warning:
                "the certificate is not valid before 2026-11-22T07:51:20Z; replace it, or correct this machine's clock"),
        Moment(name: "the first second", time: start, warning: nil),
        Moment(name: "14 days before the end", time: end - 14 * day, warning: nil),
        Moment(
            name: "a second later", time: end - 14 * day + 1,
            warning: "the certificate expires soon, on 2126-10-29T07:51:20Z; replace it before then"),
        Moment(
            name: "the last second", time: end,
            warning: "the certificate expires soon, on 2126-10-29T07:51:20Z; replace it before then"),
        Moment(
            name: "a second too late", time: end + 1,
            warning: "the certificate has expired, on 2126-10-29T07:51:20Z; replace it"),
    ]

    /// Places of a certificate with what a warning of it begins with.
    static let places = [
        (
            "routes:\n  - { match: { host: h.test }, \(pair) }\n",
            "a.yaml:2:58: routes[0].tls.clientCertificate: "
        ),
        (
            """
            routes: [{ match: { host: a.test }, credential: c }]
            credentials:
              c: { type: clientCredentials, clientAuthentication: mutualTls, clientId: c, tokenUrl: "https://i.example/t",
                   \(pair) }

            """, "a.yaml:4:34: credentials.c.tls.clientCertificate: "
        ),
        (
            """
            routes: [{ match: { host: a.test }, credential: c }]
            credentials:
              c:
                { type: mobileClientAccess, serverUrl: "https://m.example", appId: a,
                  certificate: { file: /rsa-certificate.pem }, privateKey: { file: /rsa.pem } }

            """, "a.yaml:5:20: credentials.c.certificate: "
        ),
    ]

    @Test(
        "A certificate that is not valid now, or soon expires, is reported with its place", arguments: moments, places)
    func certificate(_ moment: Moment, _ place: (text: String, beginning: String)) throws {
        let warnings = try load(place.text, unixTime: moment.time).warnings.map(\.description)
        #expect(warnings == [moment.warning.map { place.beginning + $0 }].compactMap(\.self))
    }

    private static let short =
        "is shorter than the 32 bytes that HS256 requires (RFC 7518), so it can be guessed from a signature; use a longer one"
    private static let noSubject =
        "has no subject, which servers must require (RFC 7523); write the token's subject, or the clientId of a client"

    @Test(
        "A secret that is easily guessed from its signatures is reported with its place",
        arguments: [
            ("clientSecretJwt, clientSecret: \(String(repeating: "s", count: 31))", true),
            ("clientSecretJwt, clientSecret: \(String(repeating: "s", count: 32))", false),
            ("clientSecretJwt, clientSecret: { file: /secret }", true),
            ("clientSecretJwt, clientSecret: { env: SECRET }", true), ("basic, clientSecret: s", false),
        ])
    func secret(_ client: String, _ isTold: Bool) throws {
        let warnings = try load(
            """
            routes: [{ match: { host: a.test }, credential: c }]
            credentials:
              c: { type: clientCredentials, tokenUrl: "https://i.example/t", clientId: c,
                   clientAuthentication: \(client) }

            """, environment: ["SECRET": "s"]
        ).warnings.map(\.description)
        #expect(warnings == (isTold ? ["a.yaml:4:61: credentials.c.clientSecret: \(Self.short)"] : []))
    }

    @Test(
        "An assertion without a subject is reported with its place",
        arguments: [
            ("issuer: me", "", true), ("issuer: me, subject: you", "", false),
            ("issuer: me", "clientId: c, clientAuthentication: none, ", false),
        ])
    func subject(_ assertion: String, _ client: String, _ isTold: Bool) throws {
        let warnings = try load(
            """
            routes: [{ match: { host: a.test }, credential: c }]
            credentials:
              c: { type: jwtBearer, tokenUrl: "https://i.example/t", \(client)
                   assertion: { privateKey: { file: /rsa.pem }, \(assertion) } }

            """
        ).warnings.map(\.description)
        #expect(warnings == (isTold ? ["a.yaml:4:19: credentials.c.assertion: \(Self.noSubject)"] : []))
    }

    @Test(
        "A route for port 443 that refuses https:// URLs is reported",
        arguments: [
            ("upstream: http://b.example, match: { host: a.example, port: 443 }", true),
            ("upstream: http://b.example, match: { host: a.example, port: 443 }, allowPlaintext: true", false),
            ("upstream: https://b.example, match: { host: a.example, port: 443 }", false),
            ("upstream: http://b.example, match: { host: a.example, port: 80 }", false),
            ("match: { host: a.example, port: 443 }", false),
        ])
    func deniedTargets(_ route: String, _ isTold: Bool) throws {
        let warnings = try load("routes: [{ \(route) }]\n").warnings.map(\.description)
        let warning =
            "a.yaml:1:22: routes[0].upstream: is http://, so the route answers https:// URLs with 403; use https:// or set "
            + "allowPlaintext: true"
        #expect(warnings == (isTold ? [warning] : []))
    }

    @Test(
        "A route without a credential that says when to replace it is reported",
        arguments: [
            ("refreshOn: unauthorized", true), ("refreshOn: [{ status: 401 }], credential: none", true),
            ("refreshOn: never", false), ("refreshOn: unauthorized, credential: x", false),
        ])
    func refreshWithoutCredential(_ keys: String, _ isTold: Bool) throws {
        let text =
            "credentials: { x: { type: ibmIam, apikey: k } }\nroutes: [{ match: { host: a.example }, \(keys) }]\n"
        let warnings = try load(text).warnings.map(\.description).filter { $0.contains("refreshOn") }
        let warning =
            "a.yaml:2:51: routes[0].refreshOn: has no effect on a route without a credential; add credential, or remove "
            + "refreshOn"
        #expect(warnings == (isTold ? [warning] : []))
    }

    @Test("A CA file without a root certificate is reported", arguments: ["intermediate", "root", "both"])
    func authorities(_ content: String) throws {
        let certificates = TestCertificates.shared
        let intermediate = try SystemFileReader().read(certificates.intermediateCAFile, limit: 65_536)
        let root = try SystemFileReader().read(certificates.caFile, limit: 65_536)
        var files = FakeFiles.usual
        files.files["/authorities.pem"] =
            switch content {
            case "intermediate": intermediate
            case "root": root
            default: intermediate + root
            }
        files.files["a.yaml"] = Array(
            """
            routes: [{ match: { host: a.test }, credential: c, tls: { caFile: /authorities.pem } }]
            credentials:
              c: { type: clientCredentials, tokenUrl: "https://i.example/t", clientId: c, clientSecret: s,
                   tls: { caFile: /authorities.pem } }

            """.utf8)
        var flags = Flags()
        flags.configurationFile = "a.yaml"
        let warnings = try Configuration.load(flags: flags, environment: [:], files: files).warnings.map(\.description)
        let text =
            "the file it names holds no root certificate, so TLS handshakes that depend on it fail; add the self-signed "
            + "certificate at the end of the chain"
        let places = ["a.yaml:1:67: routes[0].tls.caFile", "a.yaml:4:23: credentials.c.tls.caFile"]
        #expect(warnings == (content == "intermediate" ? places.map { "\($0): \(text)" } : []))
    }

    private static let three = """
        routes: [\(["a", "b", "c", "d", "e"].map { "{ match: { host: \($0).test }, credential: \($0) }" }.joined(separator: ", "))]
        credentials:
          a: { type: ibmIam, apikey: k }
          b: { type: ibmIam, apikey: l }
          c: { type: clientCredentials, tokenUrl: "https://i.example/t", clientId: c, clientSecret: s, scope: "{host}" }
          d: { type: static, value: v }
          e: { type: file, path: /token }

        """

    @Test("A cache without room for every fetched credential is reported", arguments: [2, 3])
    func cacheSize(_ size: Int) throws {
        let warnings = try load("\(Self.three)cacheSize: \(size)\n").warnings.map(\.description)
        let warning =
            "a.yaml:8:12: cacheSize: is less than the 3 credentials whose tokens are fetched, so tokens evict each "
            + "other and are fetched again and again; write 3 or more"
        #expect(warnings == (size < 3 ? [warning] : []))
    }

    @Test("The default size is reported too if it has no room")
    func usualCacheSize() throws {
        let many = (0..<101).map { "  c\($0): { type: ibmIam, apikey: k }\n" }.joined()
        let routes = (0..<101).map { "  - { match: { host: c\($0).test }, credential: c\($0) }\n" }.joined()
        let warnings = try load("routes:\n\(routes)credentials:\n\(many)").warnings.map(\.description)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("a.yaml: cacheSize: is less than the 101 credentials") == true)
    }

    @Test(
        "A refresh token's file that cannot be replaced is reported",
        arguments: ["/refresh", "/mounted/refresh"])
    func fixedFile(_ path: String) throws {
        let text = """
            routes: [{ match: { host: a.test }, credential: r }]
            credentials:
              r: { type: refreshToken, tokenUrl: "https://i.example/t", clientId: c, clientAuthentication: none,
                   refreshToken: { file: \(path) } }

            """
        let warnings = try load(text).warnings.map(\.description)
        #expect(warnings.count == (path == "/refresh" ? 0 : 1))
        for warning in warnings {
            #expect(warning.hasPrefix("a.yaml:4:30: credentials.r.refreshToken.file: the file is in a folder that"))
            #expect(!warning.contains(path))
        }
    }
}
