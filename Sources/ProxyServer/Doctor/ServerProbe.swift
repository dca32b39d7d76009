import EventTransport
import ProxyCore

/// Tries the way to one server step by step: name, connection, TLS.
///
/// Confined to the examination's loop.
struct ServerProbe {
    let subject: Finding.Subject
    /// The server for people, such as `https://idp.example:443`.
    let server: String
    let target: Connector.Target
    let connector: Connector
    let timeout: Duration

    /// The steps in order; none follows one that failed.
    struct Outcome: Sendable {
        var checks: [DoctorCheck] = []
        var findings: [Finding] = []
        var isReached: Bool { !checks.contains { $0.result == .failed } }
    }

    func begin(at unixTime: Int64, _ done: @escaping (Outcome) -> Void) {
        connector.addresses(
            of: target.parent?.host ?? target.host, port: target.parent?.port ?? target.port, timeout: timeout
        ) { result in
            var outcome = Outcome()
            switch result {
            case .success(let addresses):
                let list = addresses.map { "\($0)" }.joined(separator: ", ")
                note(.name, target.parent.map { "\($0): \(list)" } ?? "\(target.host): \(list)", &outcome)
                connect(outcome, unixTime, done)
            case .failure(let error):
                fail(.name, error, &outcome)
                done(outcome)
            }
        }
    }

    private func connect(_ outcome: Outcome, _ unixTime: Int64, _ done: @escaping (Outcome) -> Void) {
        var plain = target
        plain.tls = nil
        connector.connect(to: plain, timeout: timeout) { result in
            var outcome = outcome
            switch result {
            case .success(let stream):
                stream.close()
                note(.connection, "the server accepts connections", &outcome)
                guard target.tls != nil else { return done(outcome) }
                shakeHands(outcome, unixTime, done)
            case .failure(let error):
                fail(.connection, error, &outcome)
                done(outcome)
            }
        }
    }

    private func shakeHands(_ outcome: Outcome, _ unixTime: Int64, _ done: @escaping (Outcome) -> Void) {
        connector.connect(to: target, timeout: timeout) { result in
            var outcome = outcome
            switch result {
            case .success(let stream):
                let end = stream.peerCertificateEnd
                stream.close()
                let days = end.map { ($0 - unixTime) / 86_400 }
                let left = days.map { "; expires in \($0) day\($0 == 1 ? "" : "s")" } ?? ""
                note(.tls, "the certificate is trusted and is for \(target.serverName ?? target.host)\(left)", &outcome)
                if let end {
                    outcome.findings += FindingRules.serverCertificate(
                        "The certificate of \(server)", endsAt: end, of: subject, unixTime: unixTime)
                }
            case .failure(let error): fail(.tls, error, &outcome)
            }
            done(outcome)
        }
    }

    private func note(_ step: DoctorCheck.Step, _ detail: String, _ outcome: inout Outcome) {
        outcome.checks.append(
            DoctorCheck(subject: subject, server: server, step: step, result: .passed, detail: detail))
    }

    private func fail(_ step: DoctorCheck.Step, _ error: TransportError, _ outcome: inout Outcome) {
        outcome.checks.append(
            DoctorCheck(subject: subject, server: server, step: step, result: .failed, detail: error.message))
        let code = FindingCode(rawValue: "\(ProxyError(error, reaching: server).code)") ?? .connectionFailed
        outcome.findings.append(Finding(code, .error, of: subject, error.message))
    }
}
