import EventTransport
import HTTPWire
import ProxyCore
import TokenClient
import TokenManager

/// One request of an examination to a backend, sent as a running proxy would send it.
struct BackendRequest {
    let method: String
    let path: String
    let endpoint: UpstreamEndpoint
    let connector: Connector
    let connectTimeout: Duration
    let responseTimeout: Duration

    /// The part of a response that an examination uses.
    struct Answer: Sendable {
        let status: Int
        /// What its challenge demands, without any part of the credential.
        let challenge: String?
        let date: String?
    }

    /// Sends the request on a connection of its own; `done` gets the answer, or why there is none.
    func send(
        with header: AuthorizationHeader?, on loop: EventLoop, _ done: @escaping (Result<Answer, ProxyError>) -> Void
    ) {
        let target = endpoint.newestTarget()
        connector.connect(to: target, timeout: connectTimeout) { result in
            switch result {
            case .success(let stream):
                let deadline = loop.now.advanced(by: responseTimeout)
                let fetch = Fetch(over: stream, deadline: deadline, wantsBody: false) { answer in
                    switch answer {
                    case .success(let answer): done(read(answer, to: header, from: target))
                    case .failure(let failure): done(.failure(error(of: failure)))
                    }
                }
                fetch.send(bytes(header))
            case .failure(let error): done(.failure(ProxyError(error, reaching: endpoint.name)))
            }
        }
    }

    private func error(of failure: Fetch.Failure) -> ProxyError {
        let detail = "\(endpoint.name) gave no response: \(failure.reason)"
        switch failure.kind {
        case .timedOut:
            let limit = responseTimeout.settingText
            return ProxyError(.responseTimeout, "\(endpoint.name) sent no response within \(limit) (responseTimeout)")
        case .malformed: return ProxyError(.malformedResponse, detail)
        case .transport(let error):
            let code: ProxyError.Kind = error.kind == .tlsHandshake ? .tlsFailed : .connectionTerminated
            return ProxyError(code, detail + certificateAdvice)
        case .closed, .cancelled: return ProxyError(.connectionTerminated, detail + certificateAdvice)
        }
    }

    /// In TLS 1.3, a server refuses a client without a certificate after the client has ended the handshake.
    private var certificateAdvice: String {
        guard endpoint.origin.scheme == .https else { return "" }
        return "; check whether the server requires a client certificate (tls.clientCertificate)"
    }

    private func read(
        _ answer: Fetch.Answer, to header: AuthorizationHeader?, from target: Connector.Target
    ) -> Result<Answer, ProxyError> {
        // Of a parent proxy that is asked in absolute-form, a 407 is its own answer and not the backend's.
        if answer.status == 407, let parent = target.parent, !parent.opensTunnel {
            let error = TransportError(parent, demandingCredentialsFor: "\(endpoint.origin)")
            return .failure(ProxyError(error, reaching: endpoint.name))
        }
        let challenge = answer.challenge.map { challenge in
            TokenChallenge.summary(of: Array(challenge.utf8), hiding: Self.secrets(of: header)) ?? "…"
        }
        return .success(Answer(status: answer.status, challenge: challenge, date: answer.date))
    }

    /// The parts of a credential's value that no report may hold; a short first word is its scheme.
    private static func secrets(of header: AuthorizationHeader?) -> [String] {
        let words = header?.value.split(separator: " ").map(String.init) ?? []
        guard words.count > 1, words[0].utf8.count < 8 else { return words }
        return Array(words.dropFirst())
    }

    private func bytes(_ header: AuthorizationHeader?) -> [UInt8] {
        let parent = endpoint.askedParent
        var out = Array("\(method) \(parent == nil ? "" : "\(endpoint.origin)")\(path)".utf8)
        out += endpoint.hostLine.bytes
        out += Array("User-Agent: attache-doctor\r\nAccept: */*\r\n".utf8)
        if let header { out += Array("\(header.name): \(header.value)\r\n".utf8) }
        if let parent { out += parent.line }
        return out + Array("Connection: close\r\n\r\n".utf8)
    }
}
