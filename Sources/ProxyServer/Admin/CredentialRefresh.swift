import EventTransport
import ProxyConfiguration
import TokenManager

/// The answer to `POST /credentials/NAME/refresh`: a fetch, and what became of it.
///
/// Confined to the token manager's loop. It answers once: when the fetch has ended, or after `answerTimeout`.
final class CredentialRefresh {
    /// Less than the time after which the listener closes a connection that waits for an answer.
    static let answerTimeout: Duration = .seconds(25)

    private var answer: EmbeddedServer.Answer?
    private let name: String
    /// Makes the page of the credentials after the fetch.
    private let page: () -> CredentialsPage
    private var timer: Timer?

    init(_ name: String, page: @escaping () -> CredentialsPage, _ answer: @escaping EmbeddedServer.Answer) {
        self.name = name
        self.page = page
        self.answer = answer
    }

    /// Begins the fetch; the task keeps this object until its end.
    func begin(by tokens: TokenManager, on loop: EventLoop) {
        let page = page()
        guard page.object(name) != nil else { return end(Self.unknown(name, among: page.statuses.map(\.name))) }
        let timer = Timer(loop: loop) { [weak self] in self?.timeReached() }
        timer.schedule(after: Self.answerTimeout)
        self.timer = timer
        let (name, bound) = (name, LoopBound(self, loop: loop))
        Task(executorPreference: loop) {
            let outcome = await tokens.refreshNow(name)
            loop.execute { bound.value.ended(outcome) }
        }
    }

    private func ended(_ outcome: TokenManager.RefreshOutcome) {
        switch outcome {
        case .renewed: end(document("renewed").response())
        case .impossible(let reason): end(document("impossible", reason: .text(reason)).response(409))
        case .failed(let error):
            let status = error.kind == .stopped || error.kind == .unknownCredential ? 409 : 502
            end(document("failed", error: CredentialsPage.error(error)).response(status))
        }
    }

    private func timeReached() {
        let time = "\(Self.answerTimeout.components.seconds) s"
        let reason = "the fetch has not ended after \(time) and continues; see its result on /credentials"
        // The token server is late (RFC 9110 section 15.6.5).
        end(document("pending", reason: .text(reason)).response(504))
    }

    private func document(
        _ outcome: String, reason: JSONDocument? = nil, error: JSONDocument? = nil
    ) -> JSONDocument {
        .object([
            ("outcome", .text(outcome)), ("reason", reason), ("error", error), ("credential", page().object(name)),
        ])
    }

    private func end(_ response: EmbeddedServer.Response) {
        timer?.cancel()
        answer.take()?(response)
    }

    /// The answer for a name that no credential has.
    static func unknown(_ name: String, among names: [String]) -> EmbeddedServer.Response {
        let list = names.isEmpty ? "no credential is in use" : "the names are \(names.joined(separator: ", "))"
        return .init(404, "no credential in use has the name \(name); \(list)\n")
    }
}
