import Glibc
import Support
import Testing
import TokenClient
import TokenManager

/// The library as a program uses it: a manager on the default transport, with real servers.
@Suite("The token manager as a library", .serialized)
struct BackgroundTokenClientTests {
    @Test("The bound app of the Node.js module gets its header, with one token request for all calls")
    func header() async throws {
        let server = try FakeTokenEndpoint()
        defer { server.stop() }
        let client = try BackgroundTokenClient()
        let tokens = TokenManager(
            credentials: [
                CredentialConfiguration(
                    name: "cloudant",
                    source: .mobileClientAccess(
                        MobileClientAccess(
                            serverURL: try TokenURL("http://127.0.0.1:\(server.port)/imf-authserver"),
                            appID: "app-guid-1",
                            authentication: .secret(clientID: "cid", .literal("s:e c/ret+")))))
            ],
            transport: client, clock: client)
        await tokens.start()
        let headers = try await withThrowingTaskGroup(of: AuthorizationHeader.self) { group in
            for _ in 0..<100 { group.addTask { try await tokens.authorizationHeader(for: "cloudant") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await tokens.stop()
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.target == "/imf-authserver/authorization/v1/apps/app-guid-1/token")
        #expect(request.fields["Authorization"] == "Basic Y2lkOnM6ZSBjL3JldCs=")
        #expect(request.text == "grant_type=client_credentials")
        let token = try #require(server.tokens.first)
        #expect(headers.allSatisfy { $0.name == "Authorization" && $0.value == "Bearer \(token)" })
    }

    @Test("A started manager replaces a token before it ends, even if no caller asks")
    func refresh() async throws {
        let server = try FakeTokenEndpoint([.token(expiresIn: "1")])
        defer { server.stop() }
        let client = try BackgroundTokenClient()
        let tokens = TokenManager(
            credentials: [try Self.credential("http://127.0.0.1:\(server.port)/token")], transport: client,
            clock: client)
        await tokens.start()
        try await Self.eventually("a second token") { server.tokens.count == 2 }
        await tokens.stop()
    }

    @Test("Over TLS the server's certificate is verified by the configured authority and by no other")
    func verification() async throws {
        let certificates = TestCertificates.shared
        let server = TLSTestServer(identity: certificates.good) { stream in
            // The body is one segment with its head.
            _ = stream.read(until: "client_credentials")
            _ = stream.write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
                    + #"{"access_token":"abc","token_type":"Bearer","expires_in":3600}"#)
        }
        defer { server.stop() }
        let client = try BackgroundTokenClient()
        let url = "https://localhost:\(server.port)/token"
        let tokens = TokenManager(
            credentials: [
                try Self.credential(url, name: "good", caFile: certificates.caFile),
                try Self.credential(url, name: "bad", caFile: certificates.otherCAFile),
            ],
            transport: client, clock: client)
        #expect(try await tokens.authorizationHeader(for: "good").value == "Bearer abc")
        let error = await #expect(throws: TokenError.self) { try await tokens.authorizationHeader(for: "bad") }
        #expect(error?.kind == .tokenServerUnreachable)
        #expect(error?.description.contains("localhost") == true)
        await tokens.stop()
    }

    @Test("For an unreachable server, the error names it and says what to do")
    func unreachable() async throws {
        let port = try ClosedPort()
        let client = try BackgroundTokenClient()
        let tokens = TokenManager(
            credentials: [try Self.credential("http://127.0.0.1:\(port.number)/token")], transport: client,
            clock: client)
        let error = await #expect(throws: TokenError.self) { try await tokens.authorizationHeader(for: "backend") }
        #expect(error?.kind == .tokenServerUnreachable)
        #expect(error?.retryAfter != nil)
        #expect(
            error?.description
                == "credential backend: the token server 127.0.0.1:\(port.number) gave no answer (cannot connect to "
                + "127.0.0.1:\(port.number): Connection refused): check its address and the network to it")
    }

    @Test("A request whose task is cancelled ends at once, and its connection is closed")
    func cancellation() async throws {
        let gate = Gate("the server may answer")
        let isClosed = Monitor(false)
        let server = try ScriptedServer { connection in
            _ = try connection.request()
            _ = connection.receiveUntilEnd()
            isClosed.access { $0 = true }
            try gate.wait()
        }
        defer {
            gate.open()
            server.stop()
        }
        let client = try BackgroundTokenClient()
        let request = TokenRequest(.post, try TokenURL("\(server.url)/token"), fields: [])
        let exchange = Task { try await client.exchange(request) }
        try await Self.eventually("the request is there") { !server.requests.isEmpty }
        exchange.cancel()
        await #expect(throws: TokenTransportError.self) { try await exchange.value }
        try await Self.eventually("the connection is closed") { isClosed.access { $0 } }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.exchange(request)
        }
        await #expect(throws: TokenTransportError.self) { try await late.value }
    }

    @Test("The thread never gets SIGPIPE, and ends when a manager with a fetch in flight is stopped and released")
    func thread() async throws {
        let gate = Gate("the server may answer")
        let server = try FakeTokenEndpoint([.held(gate, .token(expiresIn: nil))])
        defer {
            gate.open()
            server.stop()
        }
        // A client of an earlier test may still be ending.
        try await Self.eventually("no other thread is left") { ClientThread.all.isEmpty }
        func use() async throws {
            let client = try BackgroundTokenClient()
            let credential = try Self.credential("http://127.0.0.1:\(server.port)/token")
            let tokens = TokenManager(credentials: [credential], transport: client, clock: client)
            await tokens.start()
            try await Self.eventually("the request is there") { !server.requests.isEmpty }
            let threads = ClientThread.all
            #expect(threads.count == 1)
            #expect(threads.allSatisfy { $0.blocks(SIGPIPE) })
            await tokens.stop()
        }
        try await use()
        try await Self.eventually("the thread ends") { ClientThread.all.isEmpty }
    }

    /// Looks again and again, without keeping a thread from those who make it come true.
    private static func eventually(_ what: String, _ isTrue: () -> Bool) async throws {
        let deadline = ContinuousClock.now + Patience.limit
        while !isTrue() {
            guard ContinuousClock.now < deadline else { throw PatienceExhausted(what) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private static func credential(
        _ url: String, name: String = "backend", caFile: String? = nil
    ) throws -> CredentialConfiguration {
        CredentialConfiguration(
            name: name,
            source: .clientCredentials(
                ClientCredentials(
                    endpoint: .url(try TokenURL(url)),
                    client: OAuthClient(id: "cid-\(name)", authentication: .basic(.literal("secret"))),
                    tls: TLSSettings(caFile: caFile))))
    }
}
