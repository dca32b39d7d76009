import HTTPWire
import ProxyCore

/// The facts about a request that its response depends on.
struct RequestSummary {
    var method = Method.get
    var version = HTTPVersion.http11
    var isPersistent = false
    var isComplete = false
    /// Which responses refuse the attached credential; `never` if none is attached or it cannot be replaced.
    var refreshOn = RefreshRule.never
    /// Whether the app authenticates the connection to the backend, which then serves no other request.
    var authenticatesConnection = false
    /// Whether a proof of possession is attached, which needs the backend's nonces.
    var takesNonce = false
    /// Whether to hold back a response that asks for a nonce, because the request may be sent once more.
    var repeatsForNonce = false

    /// Whether the debug log already says what happens to the response's refusal.
    var isRefusalTold = false

    mutating func take(_ head: borrowing RequestHead) {
        method = head.method
        version = head.version
        isPersistent = head.isPersistent
    }

    /// The same request, whose response goes to the app even if it refuses the credential.
    var holdingNothingBack: RequestSummary {
        var summary = self
        summary.refreshOn = .never
        summary.repeatsForNonce = false
        return summary
    }
}
