import ProxyConfiguration
import Testing

@Suite("Values that somebody meant otherwise")
struct SlipTests {
    @Test(
        "A shell variable is refused, since nobody replaces it",
        arguments: [
            (
                "routes: [{ match: { host: \"${BACKEND}\" } }]",
                "routes[0].match.host: holds ${BACKEND}, and variables are not"
            ),
            (
                "routes: [{ match: { host: a.example }, upstream: \"https://${HOST}:1\" }]",
                "routes[0].upstream: holds ${HOST}, and"
            ),
            (
                "credentials: { x: { type: static, value: \"${API_KEY}\" } }",
                "credentials.x.value: is ${API_KEY}, and variables are not replaced here; write { env: API_KEY } instead"
            ),
            ("credentials: { x: { type: file, path: \"${HOME}/token\" } }", "credentials.x.path: holds ${HOME}, and"),
        ])
    func variables(text: String, problem: String) {
        let found = problems("\(text)\nunmatched: forward\n")
        #expect(found.count == 1)
        #expect(found.first?.contains(": \(problem)") == true, "\(found)")
    }

    @Test("A secret may hold what looks like one", arguments: ["a${B}", "${a b}", "${}", "$A"])
    func secrets(value: String) {
        #expect(
            problems("credentials: { x: { type: static, value: \"\(value)\", scheme: none } }\nunmatched: forward\n")
                == [])
    }

    @Test(
        "A path in a secret's place is refused, also where no file is there",
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
        "An example's placeholder is a warning",
        arguments: ["change-me", "CHANGEME", "change_me", "{ env: SECRET }"])
    func placeholders(value: String) throws {
        let text = "credentials: { x: { type: ibmIam, apikey: \(value) } }\nunmatched: forward\n"
        let warnings = try load(text, environment: ["SECRET": "change-me"]).warnings.map(\.description)
        #expect(warnings.contains { $0.contains(": is still the placeholder change") }, "\(warnings)")
    }

    @Test("So is one that the environment gives")
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
}
