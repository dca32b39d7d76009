/// An OAuth token server under a test's control: every token it gives is a canary that is found wherever it leaks.
///
/// Answers from a queue, then with its default answer. Whoever makes one stops it.
package final class FakeTokenEndpoint: Sendable {
    /// What one request is answered with.
    package enum Answer: Sendable {
        /// A new canary with this `expires_in`, put into the JSON as it stands; nil leaves the member out.
        case token(expiresIn: String?)
        /// These bytes as they are.
        case bytes(String)
        /// These bytes, then the connection is closed.
        case last(String)
        /// The connection is closed without an answer.
        case closed
        /// The connection is reset.
        case reset
        /// What `Answer` says, but not before the gate opens.
        indirect case held(Gate, Answer)

        /// A response of this status with a body.
        package static func status(
            _ status: Int, type: String = "application/json", fields: String = "", _ body: String
        )
            -> Answer
        {
            .bytes(
                "HTTP/1.1 \(status) Some Reason\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "\(fields)\r\n\(body)")
        }
    }

    private struct Plan {
        var queue: [Answer]
        var fallback: Answer
        var tokens: [String] = []
    }

    private let server: ScriptedServer
    private let plan: Monitor<Plan>

    package init(_ queue: [Answer] = [], then fallback: Answer = .token(expiresIn: "3600")) throws {
        let plan = Monitor(Plan(queue: queue, fallback: fallback))
        self.plan = plan
        server = try ScriptedServer { connection in
            while try connection.request() != nil {
                let answer = plan.access { $0.queue.isEmpty ? $0.fallback : $0.queue.removeFirst() }
                guard try Self.give(answer, connection, plan) else { return }
            }
        }
    }

    package var port: UInt16 { server.port }
    package var url: String { "\(server.url)/token" }

    /// Requests received whole.
    package var requests: [ReceivedRequest] { server.requests }

    /// The tokens given so far, the oldest first.
    package var tokens: [String] { plan.access { $0.tokens } }

    package func enqueue(_ answer: Answer) {
        plan.access { $0.queue.append(answer) }
    }

    package func answerFromNowOn(_ answer: Answer) {
        plan.access {
            $0.queue = []
            $0.fallback = answer
        }
    }

    package func waitForRequests(_ count: Int) throws {
        try server.wait("\(count) token requests") { $0.requests.count >= count }
    }

    /// Waits until so many tokens were given.
    package func waitForTokens(_ count: Int) throws {
        try plan.wait("\(count) tokens given") { $0.tokens.count >= count ? () : nil }
    }

    package func stop() {
        server.stop()
    }

    private static func give(_ answer: Answer, _ connection: ScriptedConnection, _ plan: Monitor<Plan>) throws -> Bool {
        switch answer {
        case .token(let expiresIn):
            let token = plan.access {
                let token = "canary-\($0.tokens.count + 1)-\(UInt64.random(in: 1 << 60...UInt64.max))"
                $0.tokens.append(token)
                return token
            }
            let life = expiresIn.map { ",\"expires_in\":\($0)" } ?? ""
            let body = "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\"\(life)}"
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return true
        case .bytes(let bytes):
            try connection.send(bytes)
            return true
        case .last(let bytes):
            try connection.send(bytes)
            return false
        case .closed: return false
        case .reset:
            connection.reset()
            return false
        case .held(let gate, let answer):
            try gate.wait()
            return try give(answer, connection, plan)
        }
    }
}
