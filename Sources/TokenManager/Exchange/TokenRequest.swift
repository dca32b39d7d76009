/// One POST to a token server; its fields and body hold secrets, which no description or reflection shows.
public struct TokenRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it goes.
    public let url: TokenURL
    /// The fields to send beside those that the transport itself writes (Host, Content-Length, Connection).
    public let fields: [(name: String, value: String)]
    /// The body, a form.
    public let body: [UInt8]
    /// TLS to the server, where the address is `https`.
    public let tls: TLSSettings

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where it goes.
    ///   - fields: The fields to send.
    ///   - body: The body.
    ///   - tls: TLS to the server.
    public init(url: TokenURL, fields: [(name: String, value: String)], body: [UInt8], tls: TLSSettings) {
        self.url = url
        self.fields = fields
        self.body = body
        self.tls = tls
    }

    /// The address alone.
    public var description: String { "POST \(url)" }
    /// The address alone.
    public var debugDescription: String { description }
    /// The address alone.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
