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

/// Sends requests to token servers; injected, so that the manager itself does no I/O.
public protocol TokenTransport: Sendable {
    /// Sends one request and receives the whole response.
    ///
    /// It must end in bounded time, refuse bodies over 1 MiB and follow no redirect. A request with another client
    /// certificate needs a connection of its own; a transport that cannot honour `caFile` or `clientCertificate` must
    /// throw. It is cancelled when the manager stops, and should then end soon. It runs on the manager's executor
    /// until it suspends.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: `TokenTransportError` if there was no complete response.
    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse
}

/// The token server gave no complete response: it is unreachable, broke the connection or was too slow.
public struct TokenTransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What happened, for a person; no part of the request or of the response.
    public let message: String
    /// Whether the request was never sent because this process lacks a resource, such as a descriptor.
    public let isLocal: Bool
    /// Whether the message already says what to do.
    public let saysWhatToDo: Bool
    /// Whether the request was never sent because its address is one of this process itself.
    public let leadsBack: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: What happened, for a person; no part of the request or of the response.
    ///   - isLocal: Whether the request was never sent because this process lacks a resource.
    ///   - saysWhatToDo: Whether the message already says what to do.
    ///   - leadsBack: Whether the request was never sent because its address is one of this process itself.
    public init(message: String, isLocal: Bool = false, saysWhatToDo: Bool = false, leadsBack: Bool = false) {
        self.leadsBack = leadsBack
        self.message = message
        self.isLocal = isLocal
        self.saysWhatToDo = saysWhatToDo
    }

    /// The message.
    public var description: String { message }

    /// The kind of the failure of a fetch.
    var kind: TokenError.Kind { leadsBack ? .tokenServerLeadsBack : .tokenServerUnreachable }

    /// What to do, to be appended to a message that does not say it.
    var advice: String { saysWhatToDo ? "" : ": check its address and the network to it" }
}

/// A client's certificate with its key, both in PEM, for the TLS connection of one request; no description shows the
/// key.
public struct PresentedCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The certificate, followed by the intermediate certificates up to the authority.
    public let chain: String
    /// Its private key, unencrypted.
    public let privateKey: String

    /// Creates a certificate to present.
    ///
    /// - Parameters:
    ///   - chain: The certificate, followed by the intermediate certificates up to the authority.
    ///   - privateKey: Its private key, unencrypted.
    public init(chain: String, privateKey: String) {
        self.chain = chain
        self.privateKey = privateKey
    }

    /// A placeholder.
    public var description: String { "<certificate>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The endpoint for a token request, and the server's own name for it.
struct TokenPlace {
    /// The address of the request.
    let url: TokenURL
    /// The audience of an assertion whose settings name none.
    ///
    /// RFC 7523 section 3 requires a value that identifies the server, such as its `token_endpoint`. An alias for
    /// clients with a certificate (RFC 8705 section 5) is only another way to the same server.
    let audience: TokenURL

    init(_ url: TokenURL, audience: TokenURL? = nil) {
        self.url = url
        self.audience = audience ?? url
    }
}
