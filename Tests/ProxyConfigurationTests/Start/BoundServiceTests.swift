import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@Suite("The bound service of a Cloud Foundry app")
struct BoundServiceTests {
    private static let mobileClientAccess = #"""
        {"AdvancedMobileAccess":[{"credentials":{"clientId":"cid","secret":"s:e c/ret+","serverUrl":"http://127.0.0.1:1/imf-authserver"}}]}
        """#
    private static let application = #"{"application_id":"app-guid-1","limits":{"mem":1}}"#

    private func start(
        _ services: String, _ application: String? = application, backend: String = "https://api.example"
    ) throws(ConfigurationError) -> Configuration {
        try ProxyConfigurationTests.start(Flags(), environment(services, application, backend: backend))
    }

    private func environment(
        _ services: String, _ application: String? = application, backend: String = "https://api.example"
    ) -> [String: String] {
        var environment = ["ATTACHE_BACKEND": backend, "VCAP_SERVICES": services]
        environment["VCAP_APPLICATION"] = application
        return environment
    }

    @Test("Mobile Client Access becomes the credential bound of every backend")
    func bound() throws {
        let configuration = try start(Self.mobileClientAccess)
        #expect(configuration.routes.map(\.credential) == ["bound"])
        #expect(
            configuration.credentials == [
                CredentialConfiguration(
                    name: "bound",
                    source: .mobileClientAccess(
                        MobileClientAccess(
                            serverURL: try TokenURL("http://127.0.0.1:1/imf-authserver"), appID: "app-guid-1",
                            authentication: .secret(clientID: "cid", .literal("s:e c/ret+")))))
            ])
        guard case .mobileClientAccess(let client) = configuration.credentials[0].source else { return }
        #expect(client.tokenURL.path == "/imf-authserver/authorization/v1/apps/app-guid-1/token")
    }

    @Test(
        "A tenantId overrides the application's identifier, which may then be missing", arguments: [nil, application],
        ["AppID", "AppID-staging", "AdvancedMobileAccess"])
    func tenant(application: String?, label: String) throws {
        let services =
            #"{"\#(label)":[{"credentials":{"clientId":"c","secret":"s","serverUrl":"https://m.example","tenantId":"t"}}]}"#
        guard case .mobileClientAccess(let client) = try start(services, application).credentials[0].source else {
            Issue.record("not mobileClientAccess")
            return
        }
        #expect(client.appID == "t")
        #expect(client.tokenURL.path == "/authorization/v1/apps/t/token")
    }

    @Test("An oauthServerUrl makes it App ID", arguments: ["AppID", "AppID-user-provided"])
    func appID(label: String) throws {
        let services =
            #"{"\#(label)":[{"credentials":{"clientId":"c","secret":"s","serverUrl":"https://m.example","oauthServerUrl":"https://a.example/oauth/v4/t"}}]}"#
        let client = AppID(
            oauthServerURL: try TokenURL("https://a.example/oauth/v4/t"), clientID: "c", clientSecret: .literal("s"))
        #expect(try start(services, "not JSON").credentials.map(\.source) == [.appId(client)])
        #expect(client.tokenURL.path == "/oauth/v4/t/token")
    }

    @Test("The first instance counts: Mobile Client Access before App ID, and no other service")
    func choice() throws {
        let services = #"""
            {"AppID":[{"credentials":{"clientId":"no"}}], "redis":"odd", "x":[1],
             "AdvancedMobileAccess-2":[{"credentials":{"clientId":"one","secret":"s","serverUrl":"https://m.example","port":5}},
                                       {"credentials":{"clientId":"two"}}]}
            """#
        guard case .mobileClientAccess(let client) = try start(services).credentials[0].source else {
            Issue.record("not mobileClientAccess")
            return
        }
        #expect(client.authentication == .secret(clientID: "one", .literal("s")))
    }

    @Test(
        "Missing or broken variables are reported without their contents",
        arguments: [
            ("{", "VCAP_SERVICES: is not valid JSON; correct it or unset it"),
            ("CANARY", "VCAP_SERVICES: is not valid JSON"), ("[]", "VCAP_SERVICES: is JSON, but not in the form"),
            ("\"CANARY\"", "VCAP_SERVICES: is JSON, but not in the form"),
            (#"{"AppID":[]}"#, "VCAP_SERVICES.AppID[0].credentials: is missing or contains"),
            (#"{"AppID":"CANARY"}"#, "VCAP_SERVICES.AppID[0].credentials: is missing or contains"),
            (
                #"{"AppID":[{"credentials":{"secret":["CANARY"]}}]}"#,
                "VCAP_SERVICES.AppID[0].credentials: is missing or contains"
            ),
            (
                #"{"AppID":[{"credentials":{"secret":"CANARY","serverUrl":"https://m.example"}}]}"#,
                "VCAP_SERVICES.AppID[0].credentials: clientId is missing"
            ),
            (
                #"{"AppID":[{"credentials":{"clientId":"c","secret":"CANARY"}}]}"#,
                "VCAP_SERVICES.AppID[0].credentials: serverUrl is missing"
            ),
            (
                #"{"AppID":[{"credentials":{"clientId":"c","secret":"CANARY","serverUrl":"http://m.example"}}]}"#,
                "VCAP_SERVICES.AppID[0].credentials.serverUrl: would send the secret in plain text over the network; use https:// or set --allow-plaintext"
            ),
            (
                #"{"AppID":[{"credentials":{"clientId":"c","secret":"CANARY\n2","serverUrl":"https://m.example"}}]}"#,
                "VCAP_SERVICES.AppID[0].credentials.secret: contains a line break"
            ),
            ("{}", "ATTACHE_BACKEND: has no credential"), (#"{"redis":[]}"#, "ATTACHE_BACKEND: has no credential"),
        ])
    func broken(services: String, problem: String) {
        let found = startProblems(Flags(), environment(services))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(problem) == true, "\(found)")
        #expect(!found.joined().contains("CANARY"))
    }

    @Test("Without a tenant and an application, the app's identifier is missing", arguments: [nil, "{}", "CANARY"])
    func noApplication(application: String?) {
        let found = startProblems(Flags(), environment(Self.mobileClientAccess, application))
        #expect(found.last?.hasPrefix("VCAP_SERVICES.AdvancedMobileAccess[0].credentials: tenantId is missing") == true)
        #expect(!found.joined().contains("CANARY"))
    }

    @Test("A named token server overrides the bound service, which may then be broken")
    func explicit() throws {
        var environment = environment("{ broken")
        environment["ATTACHE_TOKEN_FILE"] = "/token"
        let configuration = try ProxyConfigurationTests.start(Flags(), environment)
        #expect(configuration.credentials.map(\.name) == ["default"])
    }

    @Test("A route in the file may name the bound service")
    func inFile() throws {
        let file = "routes: [{ match: { host: a.example }, credential: bound }]"
        let configuration = try load(
            file, environment: ["VCAP_SERVICES": Self.mobileClientAccess, "VCAP_APPLICATION": Self.application])
        #expect(configuration.credentials.map(\.name) == ["bound"])
        let broken = problems(file, environment: ["VCAP_SERVICES": #"{"AppID":[{"credentials":{}}]}"#])
        #expect(broken.count == 4, "\(broken)")
    }

    @Test("A credential in the file gets missing keys from the bound service")
    func defaults() throws {
        let environment = ["VCAP_SERVICES": Self.mobileClientAccess, "VCAP_APPLICATION": Self.application]
        let file = "credentials: { x: { type: mobileClientAccess, clientId: mine } }\nunmatched: forward"
        #expect(
            try load(file, environment: environment).credentials.map(\.source) == [
                .mobileClientAccess(
                    MobileClientAccess(
                        serverURL: try TokenURL("http://127.0.0.1:1/imf-authserver"), appID: "app-guid-1",
                        authentication: .secret(clientID: "mine", .literal("s:e c/ret+"))))
            ])
        let appID = "credentials: { x: { type: appId } }\nunmatched: forward"
        let services =
            #"{"AppID":[{"credentials":{"clientId":"c","secret":"s","oauthServerUrl":"https://a.example/o"}}]}"#
        #expect(try load(appID, environment: ["VCAP_SERVICES": services]).credentials.count == 1)
        #expect(problems(appID, environment: environment).count == 1)
    }
}
