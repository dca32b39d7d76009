import Support
import Testing

@Suite("One token serves many requests")
struct TokenSharingTests {
    @Test("A token is fetched once for many requests over many simultaneous connections", arguments: [1, 2])
    func manyRequests(_ workers: Int) throws {
        try withScene(Layout(top: ["workers: \(workers)"])) { scene in
            let done = Latch(8)
            let failures = Monitor<[String]>([])
            for _ in 0..<8 {
                _ = BackgroundThread("client") {
                    do {
                        let client = try scene.client()
                        for _ in 0..<25 {
                            let response = try client.get("\(scene.url)/")
                            if response.status != 200 { failures.access { $0.append("\(response)") } }
                        }
                        client.close()
                    } catch {
                        failures.access { $0.append("\(error)") }
                    }
                    done.countDown()
                }
            }
            try done.wait()
            #expect(failures.access { $0 } == [])
            #expect(scene.tokens.requests.count == 1)
            #expect(scene.backend.requests.count == 200)
            let token = try #require(scene.tokens.tokens.first)
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Authorization") == ["Bearer \(token)"] })
        }
    }

    @Test("Waiting requests are all answered when the one token arrives")
    func waiting() throws {
        let gate = Gate()
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))]) { scene in
            try scene.tokens.waitForRequests(1)
            let clients = try (0..<20).map { _ in try scene.client() }
            for (number, client) in clients.enumerated() {
                try client.send("GET \(scene.url)/\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(scene.backend.heads.isEmpty)
            gate.open()
            for (number, client) in clients.enumerated() {
                let response = try client.response()
                #expect(response.text == "/\(number)")
                client.close()
            }
            #expect(scene.tokens.requests.count == 1)
        }
    }

    @Test("A waiting request with a body keeps its body")
    func waitingWithBody() throws {
        let gate = Gate()
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))], backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let body = String(repeating: "0123456789", count: 30000)
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
            try client.send(String(body.prefix(1000)))
            try scene.tokens.waitForRequests(1)
            gate.open()
            try client.send(String(body.dropFirst(1000)))
            let response = try client.response()
            #expect(response.text == body)
        }
    }

    @Test("A waiting request opens no connection to the backend and sends no byte before the token arrives")
    func nothingBeforeTheToken() throws {
        let gate = Gate()
        try withScene(Layout(limits: ["acquireTimeout: 200ms"]), tokens: [.held(gate, .token(expiresIn: "3600"))]) {
            scene in
            let response = try scene.get()
            #expect(response.status == 503)
            #expect(scene.backend.heads.isEmpty)
            gate.open()
        }
    }

    @Test("A token is refreshed in the background before it ends, with or without requests")
    func refreshed() throws {
        try withScene(tokens: [.token(expiresIn: "1")]) { scene in
            try scene.tokens.waitForTokens(2)
            let tokens = scene.tokens.tokens
            let served = try Patience.poll("the new token is used") { () -> Bool? in
                let response = try scene.get()
                guard response.status == 200 else { return nil }
                return scene.backend.requests.last?.fields["Authorization"] == "Bearer \(tokens[1])" ? true : nil
            }
            #expect(served)
            #expect(scene.tokens.requests.count == 2)
        }
    }

    @Test("No request fails or waits while a token is refreshed: each token life needs one token request")
    func lives() throws {
        let gates = (1...3).map { Gate("refresh \($0) is answered") }
        let tokens = gates.map { FakeTokenEndpoint.Answer.held($0, .token(expiresIn: "3600")) }
        try withScene(Layout(limits: ["idleTimeout: 24h"]), tokens: [.token(expiresIn: "3600")] + tokens) { scene in
            defer { for gate in gates { gate.open() } }
            let client = try scene.client()
            defer { client.close() }
            func token() throws -> String? {
                #expect(try client.get("\(scene.url)/").status == 200)
                return scene.backend.requests.last?.fields["Authorization"]
            }
            for life in 0..<3 {
                let old = try token()
                #expect(old == "Bearer \(scene.tokens.tokens[life])")
                // Longer than until its refresh, shorter than its life.
                try scene.proxy.pass(.seconds(3000))
                try scene.tokens.waitForRequests(life + 2)
                for _ in 0..<5 { #expect(try token() == old) }
                gates[life].open()
                try Patience.poll("the new token serves") { try token() == old ? nil : () }
            }
            #expect(scene.tokens.requests.count == 4)
        }
    }

    @Test("A proxy fetches its tokens when it starts, before any request")
    func fetchedAtStart() throws {
        try withScene { scene in
            try scene.tokens.waitForTokens(1)
            #expect(scene.backend.connectionCount == 0)
        }
    }
}
