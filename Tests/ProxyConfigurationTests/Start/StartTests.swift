import HTTPWire
import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@Suite("Starting without a file")
struct StartTests {
    /// One setting by flag and by variable.
    struct Both: Sendable {
        let variable: String
        let set: @Sendable (inout Flags, String) -> Void
    }

    private func flags(_ change: (inout Flags) -> Void) -> Flags {
        var flags = Flags()
        change(&flags)
        return flags
    }

    private var tokenFlags: Flags {
        flags {
            $0.backends = ["https://api.example"]
            $0.tokenFile = "/token"
        }
    }

    @Test("A backend becomes a route for its host, with the credential of the token server")
    func tokenServer() throws {
        let configuration = try start(
            flags {
                $0.backends = ["https://API.example", "http://127.0.0.1:9010"]
                $0.tokenURL = "https://idp.example/t"
                $0.clientID = "c"
                $0.clientSecretFile = "/secret"
                $0.scope = "a b"
            })
        #expect(
            configuration.routes == [
                Route(
                    name: "api.example", match: RouteMatch(host: .exact("api.example"), port: .schemeDefault),
                    upstream: .origin(Origin(scheme: .https, host: "api.example", port: 443)), credential: "default"),
                Route(
                    name: "127.0.0.1:9010", match: RouteMatch(host: .exact("127.0.0.1"), port: .exactly(9010)),
                    upstream: .origin(Origin(scheme: .http, host: "127.0.0.1", port: 9010)), credential: "default"),
            ])
        #expect(
            configuration.credentials == [
                CredentialConfiguration(
                    name: "default",
                    source: .clientCredentials(
                        ClientCredentials(
                            endpoint: .url(try TokenURL("https://idp.example/t")),
                            client: OAuthClient(id: "c", authentication: .basic(.file(path: "/secret"))),
                            access: RequestedAccess(scope: "a b"))))
            ])
        #expect(configuration.unmatched == .deny)
        #expect(configuration.listeners.map(\.description) == ["127.0.0.1:3128"])
    }

    @Test("The environment can do the same, with several values separated by commas or spaces")
    func environment() throws {
        let configuration = try start(
            Flags(),
            [
                "ATTACHE_BACKEND": "https://a.example, https://b.example\nhttps://c.example",
                "ATTACHE_TOKEN_URL": "https://idp.example/t", "ATTACHE_CLIENT_ID": "c", "ATTACHE_CLIENT_SECRET": "s",
                "ATTACHE_SCOPE": "a b", "ATTACHE_LISTEN": "127.0.0.1:1,[::1]:1", "ATTACHE_ADMIN": "127.0.0.1:2",
                "ATTACHE_ACCESS_LOG": "off", "ATTACHE_WORKERS": "auto", "ATTACHE_DRAIN_DELAY": "1s",
                "ATTACHE_WAIT_FOR_IDLE": "1500ms", "ATTACHE_GRACE_PERIOD": "2s",
            ])
        #expect(configuration.routes.map(\.name) == ["a.example", "b.example", "c.example"])
        #expect(configuration.listeners.map(\.description) == ["127.0.0.1:1", "[::1]:1"])
        #expect(configuration.admin?.description == "127.0.0.1:2")
        #expect(configuration.accessLog == .off)
        #expect(configuration.workers == .automatic)
        let shutdown = Shutdown(
            drainDelay: .seconds(1), waitForIdle: .milliseconds(1500), gracePeriod: .seconds(2))
        #expect(configuration.shutdown == shutdown)
        guard case .clientCredentials(let client)? = configuration.credentials.first?.source else {
            Issue.record("no client")
            return
        }
        #expect(client.client.authentication == .basic(.literal("s")))
        #expect(client.access.scope == "a b")
    }

    @Test("A flag overrides the variable, and the variable overrides the file")
    func precedence() throws {
        let file = """
            listeners: [{ address: "127.0.0.1:1" }]
            admin: { address: "127.0.0.1:2" }
            accessLog: { path: stdout }
            workers: 1
            shutdown: { drainDelay: 1s, gracePeriod: 1s }
            unmatched: forward
            """
        let environment = [
            "ATTACHE_LISTEN": "127.0.0.1:11", "ATTACHE_ADMIN": "127.0.0.1:12", "ATTACHE_ACCESS_LOG": "off",
            "ATTACHE_WORKERS": "2", "ATTACHE_DRAIN_DELAY": "2s", "ATTACHE_GRACE_PERIOD": "2s",
        ]
        let byVariable = try load(file, environment: environment)
        #expect(byVariable.listeners.map(\.port) == [11])
        #expect(byVariable.admin?.port == 12)
        #expect(byVariable.accessLog == .off)
        #expect(byVariable.workers == .count(2))
        #expect(byVariable.shutdown == Shutdown(drainDelay: .seconds(2), gracePeriod: .seconds(2)))
        let byFlag = try load(
            file, environment: environment,
            flags: flags {
                $0.listen = ["127.0.0.1:21"]
                $0.admin = "127.0.0.1:22"
                $0.accessLog = "stderr"
                $0.workers = "3"
                $0.drainDelay = "3s"
                $0.waitForIdle = "4s"
                $0.gracePeriod = "3s"
            })
        #expect(byFlag.listeners.map(\.port) == [21])
        #expect(byFlag.admin?.port == 22)
        #expect(byFlag.accessLog == .standardError)
        #expect(byFlag.workers == .count(3))
        let shutdown = Shutdown(drainDelay: .seconds(3), waitForIdle: .seconds(4), gracePeriod: .seconds(3))
        #expect(byFlag.shutdown == shutdown)
    }

    @Test("A flag overrides a variable for the token server too")
    func tokenPrecedence() throws {
        let environment = [
            "ATTACHE_BACKEND": "https://env.example", "ATTACHE_TOKEN_URL": "https://env.example/t",
            "ATTACHE_CLIENT_ID": "env", "ATTACHE_CLIENT_SECRET": "env",
        ]
        let byFile = try start(flags { $0.tokenFile = "/token" }, environment)
        #expect(byFile.credentials.map(\.source) == [.file(path: "/token")])
        let bySecret = try start(flags { $0.clientSecretFile = "/secret" }, environment)
        guard case .clientCredentials(let client)? = bySecret.credentials.first?.source else {
            Issue.record("no client")
            return
        }
        #expect(client.client.authentication == .basic(.file(path: "/secret")))
        #expect(
            try start(flags { $0.backends = ["https://flag.example"] }, environment).routes.map(\.name) == [
                "flag.example"
            ])
    }

    @Test("A token in a file needs no token server", arguments: [true, false])
    func tokenFile(isFlag: Bool) throws {
        let configuration =
            isFlag
            ? try start(tokenFlags)
            : try start(Flags(), ["ATTACHE_BACKEND": "https://api.example", "ATTACHE_TOKEN_FILE": "/token"])
        #expect(configuration.credentials == [CredentialConfiguration(name: "default", source: .file(path: "/token"))])
        #expect(configuration.routes.map(\.credential) == ["default"])
    }

    @Test("Backends come before the file's routes and may use its only credential")
    func backendWithFile() throws {
        let file =
            "credentials: { x: { type: file, path: /token } }\nroutes: [{ match: { host: a.example }, credential: x }]"
        let configuration = try load(file, flags: flags { $0.backends = ["https://b.example"] })
        #expect(configuration.routes.map(\.name) == ["b.example", "a.example"])
        #expect(configuration.routes.map(\.credential) == ["x", "x"])
    }

    @Test("A route in the file may name the credential of the command line")
    func defaultInFile() throws {
        let file = "routes: [{ match: { host: a.example }, credential: default }]"
        let configuration = try load(file, flags: flags { $0.tokenFile = "/token" })
        #expect(configuration.credentials.map(\.name) == ["default"])
    }

    @Test("A variable may name the file")
    func configVariable() throws {
        var files = FakeFiles.usual
        files.files["b.yaml"] = Array("unmatched: forward\ncacheSize: 3".utf8)
        let configuration = try Configuration.load(environment: ["ATTACHE_CONFIG": "b.yaml"], files: files)
        #expect(configuration.cacheSize == 3)
    }

    @Test("Without any settings, the message lists the ways to start")
    func nothing() {
        let found = startProblems()
        #expect(found.count == 1)
        for way in ["--backend URL --token-url", "VCAP_SERVICES", "--config FILE"] {
            #expect(found.first?.contains(way) == true)
        }
    }

    @Test("For a backend without a credential, the message lists the ways to give one")
    func noCredential() {
        let found = startProblems(flags { $0.backends = ["https://api.example"] })
        #expect(found.count == 1)
        for way in ["--backend: has no credential", "--token-url", "--token-file", "VCAP_SERVICES", "--config"] {
            #expect(found.first?.contains(way) == true)
        }
    }

    @Test("With several credentials in the file, a backend on the command line must become a route there")
    func severalCredentials() {
        let file = "credentials: { a: { type: ibmIam, apikey: k }, b: { type: ibmIam, apikey: l } }\n"
        #expect(
            problems(file, flags: flags { $0.backends = ["https://api.example"] }) == [
                "--backend: could get any of the file's 2 credentials (a, b); write a route in the file instead, with match, "
                    + "upstream and credential"
            ])
    }

    static let faults: [(environment: [String: String], problem: String)] = [
        (["ATTACHE_BACKEND": "api.example"], "ATTACHE_BACKEND: is not a URL"),
        (["ATTACHE_BACKEND": "https://api.example,https://b.example/db"], "ATTACHE_BACKEND[1]: contains a path"),
        (
            ["ATTACHE_BACKEND": "http://api.example"],
            "ATTACHE_BACKEND: would carry the credential in plain text over the network; use https:// or set --allow-plaintext"
        ),
        (
            ["ATTACHE_LISTEN": "0.0.0.0:1"],
            "ATTACHE_LISTEN: can be reached from other machines, which would use the credentials too; use 127.0.0.1 or set --allow-non-loopback (ATTACHE_ALLOW_NON_LOOPBACK=true)"
        ),
        (["ATTACHE_ADMIN": "0.0.0.0:1"], "ATTACHE_ADMIN: can be reached from other machines"),
        (
            ["ATTACHE_ADMIN": "127.0.0.1:3128", "ATTACHE_LISTEN": "127.0.0.1:3128"],
            "ATTACHE_ADMIN: is the address of another listener too"
        ),
        (["ATTACHE_ALLOW_NON_LOOPBACK": "yes"], "ATTACHE_ALLOW_NON_LOOPBACK: is not a boolean"),
        (["ATTACHE_ALLOW_PLAINTEXT": "on"], "ATTACHE_ALLOW_PLAINTEXT: is not a boolean"),
        (
            ["ATTACHE_LOG_LEVEL": "verbose"],
            "ATTACHE_LOG_LEVEL: is not a known word; write debug, info"
        ),
        (["ATTACHE_LOG_FORMAT": "jsonn"], "ATTACHE_LOG_FORMAT: is not one of text or json; did you mean json?"),
        (["ATTACHE_WORKERS": "0"], "ATTACHE_WORKERS: is not a number of workers"),
        (["ATTACHE_ACCESS_LOG": "/nowhere/a"], "ATTACHE_ACCESS_LOG: names a file in a folder"),
        (["ATTACHE_DRAIN_DELAY": "5"], "ATTACHE_DRAIN_DELAY: is not a duration"),
        (["ATTACHE_GRACE_PERIOD": "25h"], "ATTACHE_GRACE_PERIOD: is out of range"),
        (["ATTACHE_TOKEN_FILE": "/none"], "ATTACHE_TOKEN_FILE: the file it names: no such file"),
        (
            ["ATTACHE_TOKEN_FILE": "", "ATTACHE_CLIENT_ID": "c"],
            "ATTACHE_CLIENT_ID: belongs to a token server that is not named; add --token-url"
        ),
        (
            ["ATTACHE_TOKEN_URL": "https://i.example"],
            "ATTACHE_TOKEN_FILE: is given together with ATTACHE_TOKEN_URL; keep one"
        ),
        (["ATTACHE_BACKENDS": "x"], "ATTACHE_BACKENDS: unknown variable; did you mean ATTACHE_BACKEND?"),
        (["ATTACHE_TOKENURL": "x"], "ATTACHE_TOKENURL: unknown variable; did you mean ATTACHE_TOKEN_URL?"),
    ]

    @Test("An invalid variable is named", arguments: faults)
    func fault(environment: [String: String], problem: String) {
        let usual = ["ATTACHE_BACKEND": "https://api.example", "ATTACHE_TOKEN_FILE": "/token"]
        let found = startProblems(Flags(), usual.merging(environment) { $1 })
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(problem) == true, "\(found)")
    }

    @Test("A token server needs a client and its secret")
    func incomplete() {
        let found = startProblems(
            flags {
                $0.backends = ["https://api.example"]
                $0.tokenURL = "https://idp.example/t"
            })
        #expect(
            found == [
                "--token-url: needs a client; add --client-id (ATTACHE_CLIENT_ID)",
                "--token-url: needs a secret; add --client-secret-file or ATTACHE_CLIENT_SECRET",
            ])
        let both = startProblems(
            flags {
                $0.backends = ["https://api.example"]
                $0.tokenURL = "https://idp.example/t"
                $0.clientID = "c"
            }, ["ATTACHE_CLIENT_SECRET": "s", "ATTACHE_CLIENT_SECRET_FILE": "/secret"])
        #expect(
            both == [
                "ATTACHE_CLIENT_SECRET: is given together with ATTACHE_CLIENT_SECRET_FILE; keep one of the two"
            ])
    }

    @Test("Other machines and plain text are allowed on request")
    func allowances() throws {
        let configuration = try start(
            flags {
                $0.backends = ["http://api.example"]
                $0.tokenURL = "http://idp.example/t"
                $0.clientID = "c"
                $0.clientSecretFile = "/secret"
                $0.listen = ["0.0.0.0:3128"]
                $0.admin = "[::]:1"
                $0.allowPlaintext = true
                $0.allowNonLoopback = true
            })
        #expect(configuration.routes.map(\.allowPlaintext) == [true])
        #expect(configuration.listeners.map(\.description) == ["0.0.0.0:3128"])
    }

    @Test("Unknown variables are reported, except those of Kubernetes")
    func foreignVariables() throws {
        let configuration = try start(
            tokenFlags,
            [
                "ATTACHE_SERVICE_HOST": "10.0.0.1", "ATTACHE_PORT": "tcp://10.0.0.1:3128",
                "ATTACHE_PORT_3128_TCP_ADDR": "10.0.0.1", "ATTACHE_ADMIN_SERVICE_PORT": "1", "ATTACHED": "x",
                "ATTACHE_IMAGE_DIGEST": "x", "ATTACHE_ADMIN": "",
            ])
        #expect(
            configuration.warnings.map(\.description) == [
                "ATTACHE_IMAGE_DIGEST: unknown variable, ignored; the variables are named after the options of attache run"
            ])
    }

    @Test("Fetching a token needs a credential from any source, and no backend")
    func fetching() throws {
        func names(_ flags: Flags, _ environment: [String: String] = [:]) throws -> [String] {
            try Configuration.load(
                flags: flags, environment: environment, files: FakeFiles.usual, for: .fetching
            ).credentialNames
        }
        let byFlags = try names(
            flags {
                $0.tokenURL = "https://idp.example/t"
                $0.clientID = "c"
                $0.clientSecretFile = "/secret"
            })
        #expect(byFlags == ["default"])
        #expect(try names(Flags(), ["ATTACHE_TOKEN_FILE": "/token"]) == ["default"])
        let service =
            #"{"AppID": [{"credentials": {"clientId": "c", "secret": "s", "oauthServerUrl": "https://a.example"}}]}"#
        #expect(try names(Flags(), ["VCAP_SERVICES": service]) == ["bound"])
        #expect(try names(flags { $0.tokenFile = "/token" }, ["VCAP_SERVICES": service]) == ["default"])
        let error = try #require(throws: ConfigurationError.self) { _ = try names(Flags()) }
        #expect(error.description.hasPrefix("credentials: there is none to fetch a token for; give --token-url"))
    }

    @Test("Fetching a token needs credentials in the file, and no routes")
    func fetchingFromFile() throws {
        var files = FakeFiles.usual
        files.files["a.yaml"] = Array("credentials: { a: { type: static, value: x } }\n".utf8)
        files.files["b.yaml"] = Array("unmatched: forward\n".utf8)
        let configuration = try Configuration.load(
            flags: flags { $0.configurationFile = "a.yaml" }, environment: [:], files: files, for: .fetching)
        #expect(configuration.credentialNames == ["a"])
        let error = try #require(throws: ConfigurationError.self) {
            _ = try Configuration.load(
                flags: flags { $0.configurationFile = "b.yaml" }, environment: [:], files: files, for: .fetching)
        }
        #expect(error.description.hasPrefix("b.yaml: credentials: there is none to fetch a token for"))
    }
}
