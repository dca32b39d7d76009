import ProxyConfiguration
import Testing

@Suite("Values written by mistake")
struct SlipTests {
    @Test("A secret may contain what looks like a variable", arguments: ["a${B}", "${a b}", "${}", "$A"])
    func secrets(value: String) {
        #expect(
            problems("credentials: { x: { type: static, value: \"\(value)\", scheme: none } }\nunmatched: forward\n")
                == [])
    }

    @Test(
        "A path in place of a secret is refused, even if no such file exists",
        arguments: ["/secret", "/var/run/secrets/none", "file:/run/secret", "@/run/secret", "./secret", "../secret"])
    func paths(value: String) {
        let found = problems("credentials: { x: { type: ibmIam, apikey: \"\(value)\" } }\nunmatched: forward\n")
        #expect(
            found == ["a.yaml:1:43: credentials.x.apikey: is the path of a file and not the secret; write {file: path}"]
        )
    }

    @Test("A secret may begin with a slash", arguments: ["/", "/q2+k/3==", "//a/b", "/secrets"])
    func slashes(value: String) {
        #expect(problems("credentials: { x: { type: ibmIam, apikey: \"\(value)\" } }\nunmatched: forward\n") == [])
    }

    @Test(
        "An example's placeholder causes a warning",
        arguments: ["change-me", "CHANGEME", "change_me", "{ env: SECRET }"])
    func placeholders(value: String) throws {
        let text = "credentials: { x: { type: ibmIam, apikey: \(value) } }\nunmatched: forward\n"
        let warnings = try load(text, environment: ["SECRET": "change-me"]).warnings.map(\.description)
        #expect(warnings.contains { $0.contains(": is still the placeholder change") }, "\(warnings)")
    }

    @Test("A placeholder from the environment causes a warning")
    func environment() throws {
        var flags = Flags()
        flags.backends = ["https://a.example"]
        let warnings = try start(
            flags,
            [
                "ATTACHE_TOKEN_URL": "https://i.example/t", "ATTACHE_CLIENT_ID": "c",
                "ATTACHE_CLIENT_SECRET": "change-me",
            ]
        ).warnings.map(\.description)
        #expect(
            warnings == ["ATTACHE_CLIENT_SECRET: is still the placeholder change-me of an example; write the secret"])
    }

    @Test(
        "The message about an IPv6 address without brackets says how to write it",
        arguments: ["http://::1", "https://fd00::1:8443"])
    func openAddress(url: String) {
        var flags = Flags()
        flags.backends = [url]
        flags.tokenFile = "/token"
        let scheme = url.prefix { $0 != ":" }
        #expect(
            startProblems(flags) == [
                "--backend: has an IPv6 address without brackets; write it as in \(scheme)://[::1]:8080 (found \"\(url)\")"
            ])
    }

    @Test("A byte order mark before the text changes nothing, and UTF-16 is reported")
    func byteOrderMark() throws {
        let text = "listeners: [{ address: 127.0.0.1:1 }]\nunmatched: forward\n"
        let marked = try load(bytes: [0xef, 0xbb, 0xbf] + Array(text.utf8))
        #expect(marked.listeners.map(\.port) == [1])
        #expect(problems("\u{feff}a: 1\nunmatched: forward\n").first?.hasPrefix("a.yaml:1:1: a: unknown key") == true)
        for mark: [UInt8] in [[0xff, 0xfe], [0xfe, 0xff]] {
            #expect(throws: ConfigurationError.self) { try load(bytes: mark + [0x61, 0]) }
        }
    }

    @Test(
        "A misspelt key is the only problem, because its value is used for the right key",
        arguments: [
            (
                "type: clientCredentials, tokenUrl: https://i.example/t, clientID: c, clientSecret: s", "clientID",
                "clientId"
            ),
            (
                "type: clientCredentials, tokenURL: https://i.example/t, clientId: c, clientSecret: s", "tokenURL",
                "tokenUrl"
            ),
            ("type: ibmIam, apiKey: k", "apiKey", "apikey"), ("typ: ibmIam, apikey: k", "typ", "type"),
        ])
    func misspeltKey(_ credential: String, _ key: String, _ meant: String) throws {
        let found = problems("credentials: { x: { \(credential) } }\nunmatched: forward\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("credentials.x.\(key): unknown key; did you mean \(meant)?") == true, "\(found)")
    }

    @Test("A misspelt key next to the right one is one problem too")
    func misspeltTwin() {
        let found = problems("unmatched: forward\nlimits: { connections: 5, conections: 0 }\n")
        #expect(found == ["a.yaml:2:27: limits.conections: unknown key; did you mean connections?"])
    }

    @Test("The message about a key of another kind for dpop names the right kind")
    func proofKey() {
        let found = problems(
            """
            unmatched: forward
            credentials:
              x: { type: clientCredentials, tokenUrl: https://i.example/t, clientId: c, clientSecret: s,
                   dpop: { privateKey: { file: /rsa.pem } } }

            """)
        #expect(found.count == 1)
        #expect(
            found.first?.contains("credentials.x.dpop.privateKey: is not an EC key on P-256, which dpop needs") == true)
    }
}
