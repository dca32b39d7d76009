import Support
import Testing

@Suite("attache token")
struct ExecutableTokenTests {
    private static let two = """
        credentials:
          main: { type: clientCredentials, tokenUrl: "{token}", clientId: my-app, clientSecret: canary-secret-0451 }
          key: { type: static, value: canary-key-77, header: X-Api-Key, scheme: none }
          words: { type: static, value: canary-word other, header: X-Api-Key, scheme: none }
        routes: [{ match: { host: h.test }, upstream: "http://127.0.0.1:9", credential: main }]

        """

    @Test("It shows the times, and the token only where it is asked for", arguments: [false, true])
    func shown(reveals: Bool) throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(["main"] + (reveals ? ["--reveal"] : []), tokens)
        #expect(result.code == 0, "\(result.errors)")
        let token = try #require(tokens.tokens.first)
        #expect(tokens.tokens.count == 1)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "credential  main")
        #expect(lines[1].hasPrefix("field       Authorization: Bearer "))
        #expect(lines.map { $0.prefix(12) }.dropFirst(2) == ["served for  ", "renewed in  ", "token       "])
        #expect(lines.last == "token       opaque, \(token.utf8.count) characters")
        #expect(result.output.contains(token) == reveals)
        #expect(!(result.output + result.errors).contains("canary-secret"))
    }

    @Test("It prints the header alone, for scripts")
    func header() throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(["main", "--header"], tokens)
        #expect(try result.output == "Authorization: Bearer \(#require(tokens.tokens.first))\n")
        #expect(try run(["key", "--header"], tokens).output == "X-Api-Key: canary-key-77\n")
        #expect(try !run(["key"], tokens).output.contains("canary-key"))
        // No word of it is known to be a scheme.
        #expect(try !run(["words"], tokens).output.contains("canary-word"))
    }

    @Test("A claim with a long name does not widen the others' lines")
    func longName() throws {
        // { "nnn…":1 ,"b": 2}
        let payload = "eyAi" + String(repeating: "bm5u", count: 5000) + "IjoxICwiYiI6IDJ9"
        let answer = "{\"access_token\":\"eyJhbGciOiJub25lIn0.\(payload).x\"}"
        let tokens = try FakeTokenEndpoint(then: .status(200, answer))
        defer { tokens.stop() }
        let result = try run(["main"], tokens)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.split(separator: "\n").contains("  b  2"))
    }

    @Test("It is 1 with the reason where there is no token")
    func failure() throws {
        let tokens = try FakeTokenEndpoint(then: .status(401, "{\"error\":\"invalid_client\"}"))
        defer { tokens.stop() }
        let result = try run(["main"], tokens)
        #expect(result.code == 1)
        #expect(result.errors.contains("invalid_client"))
        #expect(result.output.isEmpty)
    }

    @Test("It is 2 with the names where it is not clear which credential is meant", arguments: [[], ["other"]])
    func unknown(arguments: [String]) throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(arguments, tokens)
        #expect(result.code == 2)
        #expect(result.errors.contains("there are main, key, words"))
        #expect(tokens.requests.isEmpty)
    }

    private func run(
        _ arguments: [String], _ tokens: FakeTokenEndpoint
    ) throws -> (code: Int32, output: String, errors: String) {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(Self.two.replacing("{token}", with: tokens.url), to: "attache.yaml")
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["token", "--config", file] + arguments, in: directory)
        defer { process.kill() }
        guard case .exited(let code) = try process.waitForEnd() else { return (-1, process.output, process.errors) }
        return (code, process.output, process.errors)
    }
}
