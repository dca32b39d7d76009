import Glibc
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

    @Test("It shows the times, and the token only on request", arguments: [false, true])
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

    @Test("A claim with a long name does not widen the other lines")
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

    @Test("It exits with 1 and the reason if there is no token")
    func failure() throws {
        let tokens = try FakeTokenEndpoint(then: .status(401, "{\"error\":\"invalid_client\"}"))
        defer { tokens.stop() }
        let result = try run(["main"], tokens)
        #expect(result.code == 1)
        #expect(result.errors.contains("invalid_client"))
        #expect(result.output.isEmpty)
    }

    @Test("It exits with 1 if the new refresh token cannot be written, because it is lost")
    func lostRefreshToken() throws {
        let answer = "{\"access_token\":\"canary-t\",\"refresh_token\":\"canary-r1\"}"
        let tokens = try FakeTokenEndpoint(then: .status(200, answer))
        let directory = try TemporaryDirectory()
        defer {
            tokens.stop()
            directory.remove()
        }
        // No name is left for the file that would take its place: names have 255 bytes at most.
        let file = try directory.write("canary-r0", to: String(repeating: "r", count: 250))
        let yaml = """
            credentials:
              main: { type: refreshToken, tokenUrl: "{token}", clientId: c, clientAuthentication: none,
                      refreshToken: { file: \(file) } }

            """
        let result = try run(["main"], tokens, yaml)
        #expect(result.code == 1)
        #expect(result.errors.contains("cannot be written to \(file), and is lost when this process ends"))
        #expect(!(result.output + result.errors).contains("canary"))
    }

    @Test(
        "Ended by a signal, it exits with 1, after the next refresh token has arrived and is in its file",
        arguments: [[SIGTERM], [SIGINT], [SIGHUP], [SIGINT, SIGINT]])
    func ended(by signals: [Int32]) throws {
        let gate = Gate("the token server may answer")
        let server = try ScriptedServer(
            ScriptedServer.answering { _ in
                try? gate.wait()
                return Scripts.response(
                    #"{"access_token":"canary-t1","expires_in":3600,"refresh_token":"canary-r1"}"#)
            })
        let directory = try TemporaryDirectory()
        defer {
            gate.open()
            server.stop()
            directory.remove()
        }
        let token = try directory.write("canary-r0", to: "refresh")
        let yaml = try directory.write(
            """
            credentials:
              main: { type: refreshToken, tokenUrl: "\(server.url)/token", clientId: c, clientAuthentication: none,
                      refreshToken: { file: \(token) } }

            """, to: "attache.yaml")
        let process = try ChildProcess(ExecutableUnderTest.path, ["token", "--config", yaml], in: directory)
        defer { process.kill() }
        try server.wait("the refresh token is sent") { $0.requests.count == 1 }
        for signal in signals {
            process.signal(signal)
            // Nothing tells from outside that a signal has been taken, except that none of its kind is pending any more.
            try Patience.poll("it is taken") { process.hasPending(signal) ? nil : () }
        }
        gate.open()
        #expect(try process.waitForEnd() == .exited(1))
        #expect(process.errors.contains("ended by SIG"))
        #expect(!(process.output + process.errors).contains("canary"))
        #expect(TemporaryDirectory.read(token) == "canary-r1")
    }

    @Test(
        "It exits with 2 and the names if the credential is ambiguous",
        arguments: [[], ["other"], ["mian"]])
    func unknown(arguments: [String]) throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(arguments, tokens)
        #expect(result.code == 2)
        #expect(result.errors.contains("the names are main, key, words"))
        #expect(result.errors.contains("did you mean main?") == (arguments == ["mian"]), "\(result.errors)")
        #expect(tokens.requests.isEmpty)
    }

    private static let ofRequests = """
        credentials:
          tenants:
            type: clientCredentials
            tokenUrl: "{token}"
            clientId: my-app
            clientSecret: canary-secret-0451
            scope: "read:{header:X-Tenant}"
            audience: "https://{host}/"
          callers: { type: tokenExchange, tokenUrl: "{token}", subjectToken: { header: Authorization } }
          bound: { type: clientCredentials, tokenUrl: "{token}", clientId: c, clientSecret: canary-secret, dpop: true }

        """

    @Test("A token that depends on the request is fetched as for a request with the same values")
    func ofRequest() throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(
            ["tenants", "--host", "API.example", "--field", "X-Tenant: north"], tokens, Self.ofRequests)
        #expect(result.code == 0, "\(result.errors)")
        let asked = try #require(tokens.requests.first)
        #expect(
            asked.text.contains("scope=read%3Anorth") && asked.text.contains("audience=https%3A%2F%2Fapi.example%2F"))
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.prefix(12) } == [
                "credential  ", "field       ", "served for  ", "renewed in  ", "token       ",
            ])
        #expect(lines[2].hasPrefix("served for  35") && lines[2].hasSuffix(" s"))
        #expect(lines[3].hasSuffix(" s, when a request asks for it"))
    }

    @Test("A token on behalf of a user is fetched with the token in a file, or on standard input")
    func onBehalf() throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let caller = ["caller": "Authorization: Bearer canary-caller\n"]
        for arguments in [["--field-file", "caller"], ["--field-file", "-"]] {
            let result = try run(
                ["callers", "--header"] + arguments, tokens, Self.ofRequests, files: caller, input: "caller")
            #expect(result.code == 0, "\(result.errors)")
            #expect(try result.output == "Authorization: Bearer \(#require(tokens.tokens.last))\n")
        }
        #expect(tokens.requests.map { $0.text.contains("subject_token=canary-caller&") } == [true, true])
    }

    @Test(
        "It exits with 2 if the options for the request are unusable, and asks no token server",
        arguments: [
            (["tenants"], "add --host"), (["tenants", "--host", "h.test"], "add --field 'x-tenant: …'"),
            (["tenants", "--host", "h.test", "--field", "X-Tenant: canary two"], "(--host, --field or --field-file)"),
            (["callers"], "add --field-file FILE"),
            (["callers", "--field", "Authorization: Bearer canary"], "--field: "),
            (["bound", "--host", "h.test"], "--host: the host has no effect"),
            (["bound", "--header"], "--header: the tokens of credential bound are bound to a key (dpop)"),
        ])
    func wrongRequest(arguments: [String], words: String) throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let result = try run(arguments, tokens, Self.ofRequests)
        #expect(result.code == 2)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(!result.errors.contains("canary"))
        #expect(tokens.requests.isEmpty)
    }

    @Test("It reports that a token is bound to a key")
    func bound() throws {
        let answer = #"{"access_token":"canary-t1","token_type":"DPoP","expires_in":3600}"#
        let tokens = try FakeTokenEndpoint(then: .status(200, answer))
        defer { tokens.stop() }
        let hidden = try run(["bound"], tokens, Self.ofRequests)
        #expect(
            hidden.output.contains("field       Authorization: DPoP … (--reveal shows it)\nbound to    a key (dpop)"))
        #expect(!hidden.output.contains("canary"))
        let shown = try run(["bound", "--reveal"], tokens, Self.ofRequests)
        #expect(shown.output.contains("field       Authorization: DPoP canary-t1\nbound to    a key (dpop)"))
    }

    @Test("It needs no backend if flags and environment have the rest")
    func withoutFile() throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["token", "--token-url", tokens.url, "--client-id", "my-app", "--header"],
            environment: ["ATTACHE_CLIENT_SECRET": "canary-secret-0451"], in: directory)
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(0), "\(process.errors)")
        #expect(try process.output == "Authorization: Bearer \(#require(tokens.tokens.first))\n")
    }

    private func run(
        _ arguments: [String], _ tokens: FakeTokenEndpoint, _ configuration: String = two,
        files: [String: String] = [:], input: String = "/dev/null"
    ) throws -> (code: Int32, output: String, errors: String) {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(configuration.replacing("{token}", with: tokens.url), to: "attache.yaml")
        for (name, text) in files { _ = try directory.write(text, to: name) }
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "cd \"$1\" && exec <\"$2\" && shift 2 && exec \"$0\" token --config \"$@\"",
                ExecutableUnderTest.path,
                directory.path, input, file,
            ] + arguments, in: directory)
        defer { process.kill() }
        guard case .exited(let code) = try process.waitForEnd() else { return (-1, process.output, process.errors) }
        return (code, process.output, process.errors)
    }
}
