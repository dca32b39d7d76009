import ProxyConfiguration
import Testing
import TokenManager

@Suite("A configuration file as a whole")
struct ConfigurationFileTests {
    @Test(
        "A file without routes would deny everything, so it is refused",
        arguments: [("{}", ""), ("routes: []", ":1:9")])
    func noRoutes(text: String, position: String) {
        #expect(
            problems(text) == [
                "a.yaml\(position): routes: there is none and unmatched is deny, so every request would be refused; "
                    + "add a route or --backend, or set unmatched: forward"
            ])
    }

    @Test("An empty file is named as such", arguments: ["", "# nothing\n", "~"])
    func empty(text: String) {
        #expect(
            problems(text) == [
                "a.yaml:1:1: the file is empty; write routes and credentials, as in config/attache.yaml, or unmatched: forward"
            ])
    }

    @Test("A missing file is named")
    func missing() {
        var flags = Flags()
        flags.configurationFile = "none.yaml"
        #expect(startProblems(flags) == ["none.yaml: no such file; correct the file or --config (ATTACHE_CONFIG)"])
    }

    @Test("A file of more than 1 MiB is refused")
    func large() throws {
        #expect(problems(String(repeating: "#", count: 1_048_577)).first?.hasPrefix("a.yaml: is larger") == true)
        #expect(problems("unmatched: forward\n" + String(repeating: "#", count: 1_048_000)) == [])
    }

    @Test("A file that is not YAML is reported without further problems")
    func malformed() {
        #expect(problems("routes: [\n", environment: ["ATTACHE_LISTEN": "nonsense"]).count == 1)
    }

    @Test("Control characters in a path do not reach the terminal")
    func path() {
        var flags = Flags()
        flags.configurationFile = "a\u{1b}[31m\n.yaml"
        #expect(
            startProblems(flags).first?.hasPrefix("a?[31m?.yaml: no such file") == true
                || startProblems(flags).first?.hasPrefix("--config: contains a line break") == true)
    }

    @Test("A listener knows the setting that names it")
    func places() throws {
        let file = "listeners: [{ address: '127.0.0.1:1' }]\nadmin: { address: '127.0.0.1:2' }\nunmatched: forward"
        let configuration = try load(file)
        #expect(configuration.listeners.map(\.place) == ["a.yaml:1:24: listeners[0].address"])
        #expect(configuration.admin?.place == "a.yaml:2:19: admin.address")
        let byVariable = try load(file, environment: ["ATTACHE_LISTEN": "127.0.0.1:3"])
        #expect(byVariable.listeners.map(\.place) == ["ATTACHE_LISTEN"])
    }

    @Test("An unused credential is valid")
    func unused() throws {
        let configuration = try load("credentials: { x: { type: file, path: /token } }\nunmatched: forward")
        #expect(configuration.credentials.map(\.name) == ["x"])
    }
}
