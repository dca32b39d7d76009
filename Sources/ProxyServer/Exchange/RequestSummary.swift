import HTTPWire
import ProxyCore

/// The facts about a request that its response depends on.
struct RequestSummary {
    /// What becomes of a nonce that the backend sends for a proof of possession.
    enum NonceUse {
        /// The request carries no proof.
        case ignored
        /// It is kept for later proofs, and the response goes to the app.
        case kept
        /// It is kept, and a response that asks for it is held back, because the request may be sent once more.
        case repeated
    }

    var method = Method.get
    var version = HTTPVersion.http11
    var isPersistent = false
    /// Whether the app has said that it sends nothing after this request.
    var isLast = false
    var isComplete = false
    /// Which responses refuse the attached credential; `never` if none is attached or it cannot be replaced.
    var refreshOn = RefreshRule.never
    /// Whether the app authenticates the connection to the backend, which then serves no other request.
    var authenticatesConnection = false
    var nonceUse = NonceUse.ignored
    /// Whether the app reaches the upstream by other URLs than the backend's own.
    var mapsURLs = false
    /// Whether the request asks the backend to switch to WebSocket.
    var asksForWebSocket = false

    /// Whether a parent proxy gets the request, so that a 407 is the proxy's.
    var asksParent = false

    /// Whether the debug log already says what happens to the response's refusal.
    var isRefusalTold = false

    mutating func take(_ head: borrowing RequestHead) {
        method = head.method
        version = head.version
        isPersistent = head.isPersistent
        // What follows CONNECT may be meant for the tunnel, and comes whether there is one or not.
        isLast = !head.isPersistent && head.method != .connect
    }

    /// The response goes to the app even if it refuses the credential.
    mutating func holdNothingBack() {
        refreshOn = .never
        if nonceUse == .repeated { nonceUse = .kept }
    }
}
