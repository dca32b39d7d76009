import Support
import Testing

@Suite("The program refuses a broken configuration")
struct ExecutableConfigurationTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let yaml: String
        /// What the message must hold beside the file's name: a position and words.
        let expected: [String]

        init(_ name: String, _ yaml: String, _ expected: [String]) {
            testDescription = name
            self.yaml = yaml
            self.expected = expected
        }
    }

    private static let credentials =
        "credentials:\n  main: { type: static, value: canary-secret-0451 }\nroutes:\n"
        + "  - { name: r, match: { host: h.test }, upstream: \"http://127.0.0.1:9\", credential: main }\n"

    static let broken = [
        Broken("an unknown key", "\(credentials)unknownKey: 1\n", [":5:1: ", "unknownKey"]),
        Broken("an unknown key below", "\(credentials)limits: { headByte: 4KiB }\n", [":5:11: ", "limits.headByte"]),
        Broken("a duplicate key", "\(credentials)cacheSize: 1\ncacheSize: 2\n", [":6:1: ", "cacheSize"]),
        Broken("a wrong type", "\(credentials)cacheSize: [1]\n", [":5:12: ", "cacheSize"]),
        Broken("not a number", "\(credentials)cacheSize: many\n", [":5:12: ", "cacheSize"]),
        Broken("not a duration", "\(credentials)limits:\n  headTimeout: soon\n", [":6:16: ", "limits.headTimeout"]),
        Broken("broken YAML", "listeners: [\n", ["attache.yaml:"]),
        Broken(
            "a credential that is not there", "routes:\n  - { name: r, match: { host: h.test }, credential: gone }\n",
            [":2:53: ", "routes[0].credential"]),
        Broken(
            "an address without a port", "\(credentials)listeners:\n  - address: 127.0.0.1\n",
            [":6:14: ", "listeners[0].address"]),
        Broken(
            "a listener for the whole world", "\(credentials)listeners:\n  - address: 0.0.0.0:3128\n",
            [":6:", "listeners[0]"]),
        Broken(
            "a parent proxy over TLS", "\(credentials)upstreamProxy: { url: \"https://proxy.example:3128\" }\n",
            [":5:", "upstreamProxy.url", "not supported"]),
        Broken(
            "an unknown credential type", "credentials:\n  main: { type: magic, value: canary-secret-0451 }\n",
            [":2:17: ", "credentials.main.type"]),
        Broken("a file with one error in each of two places", "\(credentials)one: 1\ntwo: 2\n", [":5:1: ", ":6:1: "]),
    ]

    @Test("It exits with 2 and names file, line, column and key", arguments: broken, ["run", "check"])
    func refused(_ broken: Broken, _ command: String) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(broken.yaml, to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, [command, "--config", file], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2), "\(process.errors)")
        let said = process.errors + process.output
        #expect(said.contains(file), "\(said)")
        for part in broken.expected { #expect(said.contains(part), "no \(part) in \(said)") }
        #expect(!said.contains("canary-secret"), "\(said)")
    }

    @Test("check and the start report an expired certificate, which stops nothing")
    func expired() throws {
        let expired = TestCertificates.shared.expired
        let tls = "tls: { clientCertificate: \(expired.certificateFile), clientKey: \(expired.keyFile) }"
        let route = "{ name: old, match: { host: old.test }, \(tls) }"
        try withExecutable(Layout(routesBefore: [route])) { running, _, directory in
            let file = directory.file("attache.yaml")
            let words = "routes[0].tls.clientCertificate: the certificate has expired, on 20"
            let code = "\"code\":\"certificate-expired\""
            try Patience.poll("the start reports it") { running.process.errors.contains(code) ? () : nil }
            #expect(running.process.errors.split(separator: "\n").count { $0.contains(code) } == 1)
            let check = try ChildProcess(ExecutableUnderTest.path, ["check", file], in: directory)
            defer { check.kill() }
            #expect(try check.waitForEnd() == .exited(0))
            let told = check.errors.split(separator: "\n").contains {
                $0.hasPrefix("warning: \(file):") && $0.contains(words)
            }
            #expect(told, "\(check.errors)")
        }
    }

    @Test(
        "A warning fails a strict check",
        arguments: [[], ["--strict"], ["--json"], ["--json", "--strict"]])
    func strict(_ options: [String]) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(
            Self.credentials.replacing("routes:\n", with: "  spare: { type: static, value: v }\nroutes:\n"),
            to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["check", file] + options, in: directory)
        defer { process.kill() }
        let isStrict = options.contains("--strict")
        #expect(try process.waitForEnd() == .exited(isStrict ? 2 : 0), "\(process.errors)")
        guard options.contains("--json") else {
            let verdict = isStrict ? "refused, because --strict treats 1 warning as an error: " : "ok, with 1 warning: "
            #expect(process.output.hasPrefix(verdict), "\(process.output)")
            #expect(process.errors.contains("credentials.spare: no route uses it"), "\(process.errors)")
            return
        }
        for line in ["\"ok\" : \(!isStrict),", "\"path\" : \"credentials.spare\"", "\"line\" : 3,"] {
            #expect(process.output.contains(line), "no \(line) in \(process.output)")
        }
    }

    @Test(
        "The result for a URL is printed, with the code of a refusal",
        arguments: [
            (["--url", "http://h.test/x"], Int32(0), ["ok: ", "\nroute       r: host h.test, any port\n"]),
            (
                ["--url", "http://g.test/"], 1,
                ["\nroute       none (unmatched: deny)\n", "refused     403 destination-denied: "]
            ),
            (
                ["--url", "http://h.test/x", "--json"], 0,
                ["\"upstream\" : \"http://127.0.0.1:9\"", "\"field\" : \"Authorization\""]
            ),
            (
                ["--url", "http://g.test/", "--json"], 1,
                ["\"ok\" : false", "\"code\" : \"destination-denied\"", "\"status\" : 403"]
            ),
            (["--url", "http://h.test/", "--method", "TRACE", "--json"], 1, ["\"ok\" : false", "\"name\" : \"r\""]),
            (
                ["--url", "h.test", "--json"], 2,
                [
                    "\"ok\" : false", "\"path\" : \"--url\"", "The request target contains invalid bytes",
                    "\"summary\" : [\n",
                ]
            ),
            (
                ["--method", "PUT", "--json"], 2,
                ["\"ok\" : false", "\"path\" : \"--method\"", "belongs to a request; add --url"]
            ),
            (["--url", "h.test"], 2, ["attache: --url: "]),
            (["--method", "PUT"], 2, ["attache: --method: belongs to a request; add --url"]),
        ] as [([String], Int32, [String])])
    func url(_ options: [String], _ code: Int32, _ expected: [String]) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.credentials, to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["check", file] + options, in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(code), "\(process.errors)")
        let said = process.output + process.errors
        for part in expected { #expect(said.contains(part), "no \(part) in \(said)") }
        #expect(!said.contains("canary-secret"), "\(said)")
    }

    @Test("Problems are JSON too on request")
    func problemsInJSON() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write("cacheSize: many\n", to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["check", file, "--json"], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2))
        #expect(process.output.contains("\"ok\" : false,"), "\(process.output)")
        #expect(process.output.contains("\"path\" : \"cacheSize\""), "\(process.output)")
    }

    private func errors(of arguments: [String]) throws -> String {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let process = try ChildProcess(ExecutableUnderTest.path, arguments, in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2))
        return process.errors
    }

    @Test("A port in use has its own exit code and is named")
    func portInUse() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let taken = try ListeningSocket()
        defer { taken.close() }
        let file = try directory.write(
            "listeners: [{ address: 127.0.0.1:\(taken.port) }]\nadmin: { address: 127.0.0.1:0 }\n\(Self.credentials)",
            to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["run", "--config", file], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(3))
        #expect(process.errors.contains("127.0.0.1:\(taken.port)"), "\(process.errors)")
        #expect(process.errors.lowercased().contains("in use"), "\(process.errors)")
    }

    @Test("check accepts a valid file and exits with 0")
    func good() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.credentials, to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["check", "--config", file], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(0), "\(process.errors)")
    }

    @Test(
        "An unknown variable with the prefix ATTACHE_ is reported, or refused if it looks like a typing error",
        arguments: [
            ("ATTACHE_FOO", Int32(0), ["warning", "ATTACHE_FOO"]),
            ("ATTACHE_LISTN", 2, ["ATTACHE_LISTN", "did you mean ATTACHE_LISTEN?"]),
        ])
    func variables(name: String, code: Int32, words: [String]) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.credentials, to: "attache.yaml")
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["check", "--config", file], environment: [name: "canary-value"], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(code), "\(process.errors)")
        for word in words { #expect(process.errors.contains(word), "no \(word) in \(process.errors)") }
        #expect(!process.errors.contains("canary"), "\(process.errors)")
    }

    @Test("check finds an admin address that equals the listener's default")
    func adminOnDefaultListener() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.credentials + "admin: { address: 127.0.0.1:3128 }\n", to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["check", "--config", file], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2), "\(process.output)")
        #expect(process.errors.contains(":5:8: admin: is the address of another listener too"), "\(process.errors)")
    }

    @Test("version names the program, its commit and its libraries, and exits with 0")
    func version() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let process = try ChildProcess(ExecutableUnderTest.path, ["version"], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(0), "\(process.errors)")
        let lines = process.output.split(separator: "\n")
        #expect(lines.first?.wholeMatch(of: /attache \d+\.\d+\.\d+/) != nil)
        let names = ["attache", "commit", "swift", "libevent", "openssl", "c_ares"]
        #expect(lines.map { $0.split(separator: " ").first.map(String.init) } == names)
        #expect(lines.allSatisfy { $0.split(separator: " ").count >= 2 })
    }
}
