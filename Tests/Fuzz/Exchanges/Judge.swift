/// Compares what every end sent with what every other heard.
struct Judge {
    /// A request that an app sent, beyond doubt.
    private struct Wanted {
        var request: PlainRequest
        var backend: String
        var target: String
    }

    /// A request that a backend heard.
    private struct Seen {
        var request: PlainRequest
        var connection: FuzzBackendConnection
        var index: Int

        /// Whether the backend may have refused its token, or the proxy may take it that the backend never acted on it: no
        /// answer came on a connection used again.
        var mayBeSentAgain: Bool { mayBeRefused || isUnanswered }

        private var mayBeRefused: Bool {
            connection.backend.name == "fetched.test"
                && connection.sent.firstIndex(of: Array("invalid_token")) != nil
        }

        private var isUnanswered: Bool {
            index > 0 && index == connection.sentBefore.count - 1
                && connection.sent.count == connection.sentBefore[index]
        }
    }

    private let streams: [FuzzClient.Stream]
    private let backends: [FuzzBackend]

    init(_ clients: [FuzzClient], _ backends: [FuzzBackend]) {
        streams = clients.flatMap(\.streams)
        self.backends = backends
    }

    func judge() {
        let sent = streams.map { PlainRequests($0.sent) }
        var seen: [Seen] = []
        for backend in backends {
            for connection in backend.connections {
                let heard = PlainRequests(connection.received)
                require(!connection.received.isEmpty || heard.requests.isEmpty, "a request out of nothing")
                // What follows a switch to WebSocket is no request, whatever it looks like.
                let isSwitched = connection.sent.firstIndex(of: Array("101".utf8)) != nil
                let last = isSwitched ? heard.requests.firstIndex { $0.asksForWebSocket } : nil
                let requests = heard.requests.prefix((last ?? .max - 1) + 1)
                if last == nil { judgeReuse(of: connection, heard) }
                judgeCredentials(at: backend, connection, Array(requests))
                for (index, request) in requests.enumerated() {
                    judgeForm(of: request, at: backend)
                    seen.append(Seen(request: request, connection: connection, index: index))
                }
            }
        }
        match(seen, sent.flatMap(\.requests).compactMap { Self.wanted($0) })
        for (stream, requests) in zip(streams, sent) { judgeResponses(stream, requests) }
    }

    // MARK: - What backends hear

    /// Nothing that one exchange left over may be taken for the answer of the next.
    private func judgeReuse(of connection: FuzzBackendConnection, _ heard: PlainRequests) {
        let methods = heard.requests.map(\.method)
        for (index, before) in connection.sentBefore.enumerated().dropFirst() {
            let answers = PlainResponses(Array(connection.sent[..<before]), answering: methods)
            require(
                answers.finals.count == index && answers.malformedAt == nil && !answers.endsInHead
                    && answers.finals.allSatisfy { $0.isComplete && $0.isPersistent } && answers.interims[index] == 0,
                "a connection is used again after \(answers.finals.count) answers to \(index) requests")
            require(heard.requests[index - 1].isComplete, "a connection is used again within a request")
        }
    }

    private func judgeCredentials(at backend: FuzzBackend, _ connection: FuzzBackendConnection, _ heard: [PlainRequest])
    {
        let received = connection.received
        if backend.name != "token.test" {
            require(received.firstIndex(of: Array(ProxyBench.token)) == nil, "the token reaches \(backend.name)")
        }
        if backend.name != "fetched.test" {
            require(
                received.firstIndex(of: Array(ProxyBench.fetchedToken)) == nil,
                "a fetched token reaches \(backend.name)")
        }
        if backend.name != "key.test" {
            require(received.firstIndex(of: Array(ProxyBench.key)) == nil, "the key reaches \(backend.name)")
        }
        for request in heard {
            let authorizations = request.values("authorization")
            switch backend.name {
            case "token.test":
                require(authorizations == ["Bearer \(ProxyBench.token)"], "\(authorizations.count) tokens in a request")
            case "fetched.test":
                require(
                    authorizations.count == 1 && authorizations[0].hasPrefix("Bearer \(ProxyBench.fetchedToken)"),
                    "\(authorizations.count) tokens in a request")
            case "key.test":
                require(request.values("x-api-key") == [ProxyBench.key], "not one key in a request")
                require(authorizations.isEmpty, "the app's Authorization beside a credential")
            default: break
            }
        }
    }

    private func judgeForm(of request: PlainRequest, at backend: FuzzBackend) {
        require(request.values("host") == ["127.0.0.1:\(backend.port)"], "a Host that is not the backend's")
        require(request.target.hasPrefix("/") || (request.target == "*" && request.method == "OPTIONS"), "a target")
        require(request.isHTTP11 && !request.values("via").isEmpty, "a request without our version and Via")
        for name in [
            "connection", "keep-alive", "te", "trailer", "upgrade", "proxy-connection", "proxy-authorization",
            "proxy-authenticate", "http2-settings",
        ] {
            let isForSwitch = request.asksForWebSocket && ["connection", "upgrade"].contains(name)
            require(request.values(name).isEmpty || isForSwitch, "\(name) reaches a backend")
        }
    }

    // MARK: - Requests sent against requests heard

    /// Each request heard is one sent to this backend, with its fields and a beginning of its body.
    private func match(_ seen: [Seen], _ wanted: [Wanted]) {
        var unused = wanted
        var used: [Wanted] = []
        let order = seen.sorted {
            ($0.request.isComplete ? 1 : 0, $0.request.body.count) > (
                $1.request.isComplete ? 1 : 0, $1.request.body.count
            )
        }
        var again = seen.count { $0.mayBeSentAgain }
        for seen in order {
            if let index = unused.firstIndex(where: { Self.isSame($0, seen) }) {
                used.append(unused.remove(at: index))
            } else {
                require(
                    used.contains { Self.isSame($0, seen) }, "\(seen.connection.backend.name) hears what nobody sent")
                require(again > 0, "\(seen.connection.backend.name) hears a request twice")
                again -= 1
            }
        }
    }

    private static func isSame(_ wanted: Wanted, _ seen: Seen) -> Bool {
        let (sent, heard) = (wanted.request, seen.request)
        guard wanted.backend == seen.connection.backend.name, sent.method == heard.method,
            wanted.target == heard.target, sent.body.starts(with: heard.body),
            !heard.isComplete || (sent.isComplete && sent.body.count == heard.body.count)
        else { return false }
        let ours: Set = [
            "host", "via", "content-length", "transfer-encoding", "authorization", "x-api-key", "max-forwards",
            "connection", "upgrade",
        ]
        return heard.fields.allSatisfy { field in
            ours.contains(field.name) || sent.fields.contains { $0 == field }
        }
    }

    /// Nil for what no backend may hear.
    private static func wanted(_ request: PlainRequest) -> Wanted? {
        guard request.method != "CONNECT", let scheme = request.target.firstRange(of: "://") else { return nil }
        let rest = request.target[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var host = rest[..<end].lowercased()[...]
        if let colon = host.firstIndex(of: ":") { host = host[..<colon] }
        if host.hasSuffix(".") { host = host.dropLast() }
        var path = String(rest[end...])
        if path.isEmpty, request.method == "OPTIONS" {
            path = "*"
        } else if !path.hasPrefix("/") {
            path = "/" + path
        }
        return Wanted(request: request, backend: String(host), target: path)
    }

    // MARK: - What apps hear

    private func judgeResponses(_ stream: FuzzClient.Stream, _ sent: PlainRequests) {
        for secret in [ProxyBench.token, ProxyBench.key, ProxyBench.fetchedToken] {
            require(stream.received.firstIndex(of: Array(secret)) == nil, "an app hears a credential")
        }
        let answers = PlainResponses(stream.received, answering: sent.requests.map(\.method))
        guard !answers.hasSwitched else {
            // Nothing after it is a response.
            return require(
                sent.requests.contains { $0.asksForWebSocket }, "an app is told of an upgrade that nobody asked for")
        }
        require(answers.malformedAt == nil, "an app hears something that is no response")
        // What is no request is answered too, once.
        require(
            answers.finals.count <= sent.requests.count + (sent.hasRest ? 1 : 0),
            "\(answers.finals.count) answers to \(sent.requests.count) requests")
        for (index, answer) in answers.finals.enumerated() {
            require(answer.isComplete || index == answers.finals.count - 1, "an answer is cut and another follows")
            guard answer.fields.contains(where: { $0.name == echoName && $0.value == echoMark }) else { continue }
            require(index < sent.requests.count, "a backend's answer to no request")
            guard !answer.isBodiless else { continue }
            let target = Self.wanted(sent.requests[index])?.target ?? ""
            require(target.hasPrefix(answer.content.latin), "an app hears the answer to another's request")
            require(!answer.isComplete || target == answer.content.latin, "an answer is cut and looks whole")
        }
        for (index, count) in answers.interims.enumerated() where index < sent.requests.count {
            require(count == 0 || sent.requests[index].isHTTP11, "an interim answer to HTTP/1.0")
        }
    }
}

extension PlainRequest {
    /// Whether a 101 may answer it.
    fileprivate var asksForWebSocket: Bool {
        method == "GET" && isHTTP11 && values("upgrade").contains { $0.lowercased().contains("websocket") }
    }
}
