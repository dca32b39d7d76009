/// A token server's response; its body holds a token, which no description or reflection shows.
public struct TokenResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The HTTP status, 100...599.
    public let status: Int
    /// The value of `Retry-After`, if there is one.
    public let retryAfter: String?
    /// The value of `Content-Type`, if there is one.
    public let contentType: String?
    /// The value of `DPoP-Nonce`, if there is one.
    public let dpopNonce: String?
    /// The whole body, at most 1 MiB.
    public let body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The value of `Retry-After`, if there is one.
    ///   - contentType: The value of `Content-Type`, if there is one.
    ///   - dpopNonce: The value of `DPoP-Nonce`, if there is one.
    ///   - body: The whole body.
    public init(
        status: Int, retryAfter: String? = nil, contentType: String? = nil, dpopNonce: String? = nil, body: [UInt8] = []
    ) {
        self.status = status
        self.dpopNonce = dpopNonce
        self.retryAfter = retryAfter
        self.contentType = contentType
        self.body = body
    }

    /// The status and the body's size.
    public var description: String { "\(status), \(body.count) bytes" }
    /// The status and the body's size.
    public var debugDescription: String { description }
    /// The status alone.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
