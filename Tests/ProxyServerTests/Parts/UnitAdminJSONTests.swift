import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitAdminJSONTests {
    private let start = ContinuousClock.now

    private func page(_ statuses: [CredentialStatus]) throws -> CredentialsPage {
        let client = ClientCredentials(
            endpoint: .url(try TokenURL("https://idp.example/canary-path?canary=query")),
            client: OAuthClient(id: "cid", authentication: .basic(.literal("canary-secret"))))
        return CredentialsPage(
            configurations: [CredentialConfiguration(name: "main", source: .clientCredentials(client))],
            statuses: statuses, moment: AdminMoment(now: start, unixTime: 1_795_459_200))
    }

    @Test("A credential has its times as time and as seconds, and no secret")
    func fresh() throws {
        let status = CredentialStatus(
            name: "main", state: .fresh, refreshAt: start + .seconds(60), expiresAt: start + .milliseconds(90_500),
            succeeded: 2, failed: 1, certificateExpiresAt: 1_795_545_600, receivedAt: start - .seconds(20))
        let text = try page([status]).document.page
        #expect(
            text == """
                {
                  "time": "2026-11-23T18:40:00Z",
                  "credentials": [
                    {
                      "name": "main",
                      "type": "clientCredentials",
                      "tokenServer": "https://idp.example",
                      "required": true,
                      "ready": true,
                      "state": "fresh",
                      "receivedAt": "2026-11-23T18:39:40Z",
                      "age": 20.000,
                      "refreshAt": "2026-11-23T18:41:00Z",
                      "refreshIn": 60.000,
                      "expiresAt": "2026-11-23T18:41:30Z",
                      "expiresIn": 90.500,
                      "certificateExpiresAt": "2026-11-24T18:40:00Z",
                      "fetches": {
                        "success": 2,
                        "failure": 1
                      }
                    }
                  ]
                }

                """)
        #expect(!text.contains("canary"))
    }

    @Test("A credential that failed has its error with code and next attempt, and no times of a token")
    func failed() throws {
        let error = TokenError(kind: .tokenServerUnreachable, message: "no \"answer\"")
        let status = CredentialStatus(
            name: "main", state: .failed, refreshAt: start + .seconds(4), lastError: error, isRequired: false,
            nextAttempt: start + .seconds(4))
        let text = try page([status]).document.page
        for part in [
            #""required": false"#, #""ready": false"#, #""code": "token-server-unreachable""#,
            #""message": "no \"answer\""#, #""nextAttemptAt": "2026-11-23T18:40:04Z""#, #""nextAttemptIn": 4.000"#,
        ] { #expect(text.contains(part), "\(text)") }
        for part in ["refreshAt", "expiresAt", "receivedAt", "values"] { #expect(!text.contains(part)) }
    }

    @Test("A route has what it takes, where it leads, and how its requests ended")
    func routes() throws {
        var flags = Flags()
        flags.configurationFile = TextFileReader.path
        let file = TextFileReader(
            text: """
                listeners:
                - { address: 127.0.0.1:3128 }
                - { address: 127.0.0.1:3129, mode: gateway, route: orders }
                credentials: { corp: { type: static, value: canary } }
                routes:
                - { name: orders, match: { host: "*.example", port: 8443, pathPrefix: /v1, methods: [GET] },
                    upstream: "https://orders.example/api", credential: corp }
                - { name: plain, match: { host: plain.example } }
                """)
        let configuration = try Configuration.load(flags: flags, environment: [:], files: file)
        var metrics = Metrics(routeCount: 2)
        for status in [200, 200, 204, 404, 502, 0] { metrics.count(route: 0, status: status, nanoseconds: 1) }
        metrics.count(.tokenRefused, route: 0)
        metrics.count(route: nil, status: 403, nanoseconds: 1)
        let page = RoutesPage(
            configuration: configuration, numbers: StableNumbers(configuration), metrics: metrics)
        let compact = page.document.page.replacing("\n", with: "").replacing(" ", with: "")
        #expect(
            compact
                == #"{"routes":[{"name":"orders","match":{"host":"*.example","port":8443,"pathPrefix":"/v1","methods":["GET"]},"#
                + #""upstream":"https://orders.example:443/api","credential":"corp","listeners":["127.0.0.1:3128"],"#
                + #""gateways":["127.0.0.1:3129"],"requests":{"total":6,"1xx":0,"2xx":3,"3xx":0,"4xx":1,"5xx":1,"cut":1},"#
                + #""errors":2,"retries":{"connection_lost":0,"token_refused":1,"nonce_asked":0}},"#
                + #"{"name":"plain","match":{"host":"plain.example"},"listeners":["127.0.0.1:3128"],"gateways":[],"#
                + #""requests":{"total":0,"1xx":0,"2xx":0,"3xx":0,"4xx":0,"5xx":0,"cut":0},"errors":0,"#
                + #""retries":{"connection_lost":0,"token_refused":0,"nonce_asked":0}}],"#
                + #""withoutRoute":{"requests":{"total":1,"1xx":0,"2xx":0,"3xx":0,"4xx":1,"5xx":0,"cut":0}}}"#)
    }

    @Test("An unknown name gets 404 with the names of the credentials")
    func unknown() {
        let answer = CredentialRefresh.unknown("corpo", among: ["corp", "other"])
        #expect(answer.status == 404)
        #expect(answer.body == "no credential in use has the name corpo; the names are corp, other\n")
        #expect(
            CredentialRefresh.unknown("corp", among: []).body
                == "no credential in use has the name corp; no credential is in use\n")
        let long = CredentialRefresh.unknown(String(repeating: "x", count: 8000), among: ["corp"])
        #expect(long.body.hasPrefix("no credential in use has the name \(String(repeating: "x", count: 100))…; "))
    }
}
