/// One request to a token server; its fields and body hold secrets, which no description or reflection shows.
public struct TokenRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method of a request.
    public enum Method: String, Sendable {
        /// Reads the server's metadata; there is no body.
        case get = "GET"
        /// Requests a token.
        case post = "POST"
    }

    /// The method.
    public let method: Method
    /// The address.
    public let url: TokenURL
    /// The fields to send in addition to those that the transport itself writes (Host, Content-Length, Connection).
    public let fields: [(name: String, value: String)]
    /// The body, a form; empty for GET.
    public let body: [UInt8]
    /// A PEM file with the certificate authorities to trust, or nil for the system's; only for `https`.
    public let caFile: String?
    /// The certificate to present if the server asks for one.
    public let clientCertificate: PresentedCertificate?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The address.
    ///   - fields: The fields to send.
    ///   - body: The body.
    ///   - caFile: A PEM file with the certificate authorities to trust, or nil for the system's.
    ///   - clientCertificate: The certificate to present if the server asks for one.
    public init(
        _ method: Method, _ url: TokenURL, fields: [(name: String, value: String)], body: [UInt8] = [],
        caFile: String? = nil, clientCertificate: PresentedCertificate? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.caFile = caFile
        self.clientCertificate = clientCertificate
    }

    /// Method and address alone.
    public var description: String { "\(method.rawValue) \(url)" }
    /// Method and address alone.
    public var debugDescription: String { description }
    /// The address alone.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
