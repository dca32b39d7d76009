/// The result of one delivery of bytes.
enum ResponseProgress: Equatable {
    case incomplete
    /// The final response refuses the credential; it is held back from its head on.
    case credentialRefused
    /// The final response asks for a nonce in the proof; it is held back from its head on.
    case nonceAsked
    /// The final response may refuse the credential; its body decides, and head and body are held back until then.
    case refusalSuspected
    /// The response that was held back for its body does not refuse the credential.
    case refusalUnfounded
    /// The backend has switched to WebSocket; what it has sent behind its response is kept.
    case switched
    /// The parent proxy demands credentials.
    case parentRefused
    case ended(ConnectionReuse)
}

/// Whether each connection can be used after the response.
struct ConnectionReuse: Equatable {
    var upstreamReusable: Bool
    var downstreamPersistent: Bool
    /// The seconds for which the backend keeps an idle connection; nil if it names none.
    var keepAliveTimeout: Int?
}
