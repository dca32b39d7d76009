import HTTPWire
import ProxyCore

/// The facts about a request that its response depends on.
struct RequestSummary {
    var method = Method.get
    var version = HTTPVersion.http11
    var isPersistent = false
    var isComplete = false
    /// Which response refuses the credential that was attached; `never` where none was, or it cannot be replaced.
    var refreshOn = RefreshRule.never
    /// Whether the app authenticates the connection to the backend, which then serves no other request.
    var authenticatesConnection = false
    /// Whether a proof of possession is attached, so that the backend's nonces are of use.
    var takesNonce = false
    /// Whether a response that asks for a nonce is held back, as the request may be sent once more.
    var repeatsForNonce = false

    /// Whether the debug log has told what becomes of a refusal by the response.
    var isRefusalTold = false

    mutating func take(_ head: borrowing RequestHead) {
        method = head.method
        version = head.version
        isPersistent = head.isPersistent
    }

    /// The same request, whose response goes to the app whatever it refuses.
    var holdingNothingBack: RequestSummary {
        var summary = self
        summary.refreshOn = .never
        summary.repeatsForNonce = false
        return summary
    }
}
