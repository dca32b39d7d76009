import Support

/// A backend that speaks TLS: answers every request by a closure, and keeps what it saw.
///
/// Whoever makes one stops it.
final class TLSBackend: Sendable {
    struct Journal: Sendable {
        var requests: [ReceivedRequest] = []
        var serverNames: [String?] = []
        /// For each connection whether it resumed a session.
        var resumptions: [Bool] = []
        /// For each connection the certificate that the proxy showed, in DER.
        var clientCertificates: [[UInt8]] = []
    }

    /// What is sent for a request, and how the connection goes on.
    enum Answer: Sendable {
        case keep(String)
        /// The bytes, then close_notify and FIN.
        case end(String)
        /// The bytes, then FIN alone.
        case cut(String)
    }

    private let server: TLSTestServer
    private let journal: Monitor<Journal>

    init(
        _ identity: TestCertificates.Identity = TestCertificates.shared.good, version: TLSTestServer.Version? = nil,
        clientCAFile: String? = nil, gate: Gate? = nil,
        answering answer: @escaping @Sendable (ReceivedRequest) -> Answer = { .keep(Scripts.response($0.target)) }
    ) {
        let journal = Monitor(Journal())
        self.journal = journal
        server = TLSTestServer(identity: identity, version: version, clientCAFile: clientCAFile, gate: gate) { stream in
            let number = journal.access { journal in
                journal.serverNames.append(stream.serverName)
                journal.resumptions.append(stream.isResumed)
                journal.clientCertificates.append(stream.clientCertificate)
                return journal.resumptions.count - 1
            }
            let reader = MessageReader { stream.read() }
            while let head = try? reader.head() {
                var request = ReceivedRequest(head: head, connection: number)
                guard let body = try? reader.body(request.framing).content else { return }
                request.body = body
                journal.access { [request] in $0.requests.append(request) }
                switch answer(request) {
                case .keep(let text): stream.write(text)
                case .end(let text):
                    stream.write(text)
                    stream.end()
                    return
                case .cut(let text):
                    stream.write(text)
                    stream.cut()
                    return
                }
            }
        }
    }

    var port: UInt16 { server.port }
    var requests: [ReceivedRequest] { journal.access { $0.requests } }
    var serverNames: [String?] { journal.access { $0.serverNames } }
    var resumptions: [Bool] { journal.access { $0.resumptions } }
    var clientCertificates: [[UInt8]] { journal.access { $0.clientCertificates } }
    var connectionCount: Int { server.connectionCount }

    func stop() {
        server.stop()
    }
}
