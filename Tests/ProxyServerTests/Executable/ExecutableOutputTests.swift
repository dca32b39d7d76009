import Support
import Testing

@Suite("What commands print")
struct ExecutableOutputTests {
    @Test(
        "A command that cannot write its result says why and exits with 1",
        arguments: ["check", "check --json", "doctor", "doctor --json", "token --config", "token --header --config"])
    func fullDevice(command: String) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let yaml = """
            credentials: { main: { type: static, value: canary-value-0451 } }
            routes: [{ name: any, match: { host: "*.test" }, credential: main }]

            """
        let file = try directory.write(yaml, to: "attache.yaml")
        let line = "exec \(ExecutableUnderTest.path) \(command) \(file) >/dev/full"
        let process = try ChildProcess("/bin/sh", ["-c", line], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(1))
        let words = "attache: cannot write to standard output: No space left on device\n"
        #expect(process.errors.hasSuffix(words), "\(process.errors)")
    }

    @Test(
        "doctor --json prints the problems of a wrong file or option as JSON",
        arguments: [["missing.yaml"], ["attache.yaml", "--method", "POST"], ["attache.yaml", "--path", "a b"]])
    func problems(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        _ = try directory.write(
            "routes: [{ name: any, match: { host: a.test }, upstream: https://b.test }]\n", to: "attache.yaml")
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["doctor", "--json", directory.file(arguments[0])] + arguments.dropFirst(),
            in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2))
        #expect(process.errors.isEmpty, "\(process.errors)")
        #expect(process.output.contains("\"ok\" : false"), "\(process.output)")
        #expect(process.output.contains("\"message\" : "), "\(process.output)")
    }
}
