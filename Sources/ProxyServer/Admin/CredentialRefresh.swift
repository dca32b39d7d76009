import EventTransport
import ProxyConfiguration
import ProxyCore
import TokenManager

/// The answer to `POST /credentials/NAME/refresh`: a fetch, and what became of it.
///
/// Confined to the token manager's loop.
final class CredentialRefresh {
    private let name: String
    /// Makes the page of the credentials after the fetch.
    private let page: () -> CredentialsPage

    init(_ name: String, page: @escaping () -> CredentialsPage) {
        self.name = name
        self.page = page
    }

    /// Begins the fetch; the task keeps this object until its end.
    func begin(by tokens: TokenManager, on loop: EventLoop, _ answer: @escaping EmbeddedServer.Answer) {
        let page = page()
        guard page.object(name) != nil else { return answer(Self.unknown(name, among: page.statuses.map(\.name))) }
        let pending = PendingAnswer(answer, on: loop) { self.late }
        let (name, bound) = (name, LoopBound((self, pending), loop: loop))
        Task(executorPreference: loop) {
            let outcome = await tokens.refreshNow(name)
            loop.execute { bound.value.1.give(bound.value.0.response(to: outcome)) }
        }
    }

    private func response(to outcome: TokenManager.RefreshOutcome) -> EmbeddedServer.Response {
        switch outcome {
        case .renewed: return document("renewed").response()
        case .impossible(let reason): return document("impossible", reason: .text(reason)).response(409)
        case .failed(let error):
            let status = error.kind == .stopped || error.kind == .unknownCredential ? 409 : 502
            return document("failed", error: CredentialsPage.error(error)).response(status)
        }
    }

    /// The token server is late (RFC 9110 section 15.6.5).
    private var late: EmbeddedServer.Response {
        let time = PendingAnswer.timeout.settingText
        let reason = "the fetch has not ended after \(time) and continues; see its result on /credentials"
        return document("pending", reason: .text(reason)).response(504)
    }

    private func document(
        _ outcome: String, reason: JSONDocument? = nil, error: JSONDocument? = nil
    ) -> JSONDocument {
        .object([
            ("outcome", .text(outcome)), ("reason", reason), ("error", error), ("credential", page().object(name)),
        ])
    }

    /// The part of an unknown name that an answer repeats, in characters.
    private static let longestName = 100

    /// The answer for a name that no credential has.
    static func unknown(_ name: String, among names: [String]) -> EmbeddedServer.Response {
        let shown =
            name.utf8.count <= longestName ? name : "\(String(name.unicodeScalars.prefix(longestName)))…"
        let list = names.isEmpty ? "no credential is in use" : "the names are \(names.joined(separator: ", "))"
        return .init(404, "no credential in use has the name \(shown); \(list)\n")
    }
}
