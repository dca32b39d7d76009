/// Why a message was refused.
///
/// It holds no byte of the message, so it may be shown and logged.
package enum MessageError: Error, Equatable, CaseIterable, Sendable {
    // The request line
    case tlsInsteadOfHTTP
    case malformedRequestLine
    case targetTooLong
    case malformedTarget
    case targetFormNotAllowed
    case unsupportedScheme
    case userInformation
    case emptyHost
    case malformedHost
    case malformedPort
    case missingPort
    case malformedVersion
    case unsupportedVersion
    // The status line
    case malformedStatusLine
    case statusOutOfRange
    case malformedReason
    // Lines and fields
    case bareLineFeed
    case bareCarriageReturn
    case malformedFieldName
    case spaceBeforeColon
    case foldedField
    case malformedFieldValue
    case headTooLarge
    case tooManyFields
    case missingHost
    case repeatedHost
    case malformedHostField
    case malformedConnection
    case tooManyConnectionOptions
    // Framing
    case malformedContentLength
    case contentLengthOverflow
    case repeatedContentLength
    case malformedTransferEncoding
    case repeatedTransferEncoding
    case transferEncodingInHTTP10
    case unsupportedTransferCoding
    case conflictingFraming
    case contentInConnect
    // The body
    case malformedChunkSize
    case chunkSizeOverflow
    case malformedChunkExtension
    case chunkExtensionsTooLarge
    case missingChunkEnd
    case framingInTrailers
    case trailersTooLarge
    case bodyCutShort
    /// A 101 to a request that asked for no upgrade (RFC 9110 section 15.2.2).
    case unexpectedUpgrade

    /// The status that tells a client about its own error.
    ///
    /// A backend's error is always a 502.
    package var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLarge, .tooManyFields, .trailersTooLarge: 431
        case .unsupportedTransferCoding: 501
        case .unsupportedVersion: 505
        default: 400
        }
    }
}

extension MessageError {
    /// What was wrong, as a sentence for a person; it quotes no part of the message.
    package var reason: String {
        switch self {
        case .tlsInsteadOfHTTP: "A TLS handshake arrived where plain HTTP was expected."
        case .malformedRequestLine: "The request line is not 'method target HTTP/1.1' with single spaces."
        case .targetTooLong: "The request target is longer than the limit for a head."
        case .malformedTarget: "The request target contains invalid bytes, or has no known form."
        case .targetFormNotAllowed: "The form of the request target does not fit the method."
        case .unsupportedScheme: "The scheme of the request target is neither http nor https."
        case .userInformation: "The request target contains user information before the host."
        case .emptyHost: "The request target names no host."
        case .malformedHost: "The host is neither a name nor an IP address."
        case .malformedPort: "The port is not a number from 1 to 65535."
        case .missingPort: "The target of CONNECT has no port; it must be host:port."
        case .malformedVersion: "The protocol version is malformed."
        case .unsupportedVersion: "The protocol version is not HTTP/1.0 or HTTP/1.1."
        case .malformedStatusLine: "The status line is not 'HTTP/1.1 status reason'."
        case .statusOutOfRange: "The status code is not between 100 and 599."
        case .malformedReason: "The reason phrase contains a control byte."
        case .bareLineFeed: "A line ends with a line feed alone."
        case .bareCarriageReturn: "A carriage return is not followed by a line feed."
        case .malformedFieldName: "A field name is empty or contains invalid bytes."
        case .spaceBeforeColon: "A field name is followed by white space before its colon."
        case .foldedField: "A field line begins with white space."
        case .malformedFieldValue: "A field value contains a control byte."
        case .headTooLarge: "The head of the message is larger than the limit."
        case .tooManyFields: "The message has more field lines than the limit."
        case .missingHost: "An HTTP/1.1 request needs a Host field."
        case .repeatedHost: "The request has more than one Host field."
        case .malformedHostField: "The Host field is not a host with an optional port."
        case .malformedConnection: "A Connection field is not a list of tokens."
        case .tooManyConnectionOptions: "The Connection fields name too many fields."
        case .malformedContentLength: "The Content-Length field is not a single decimal number."
        case .contentLengthOverflow: "The Content-Length field is too large a number."
        case .repeatedContentLength: "The message has more than one Content-Length field."
        case .malformedTransferEncoding: "The Transfer-Encoding field is not exactly 'chunked'."
        case .repeatedTransferEncoding: "The message has more than one Transfer-Encoding field."
        case .transferEncodingInHTTP10: "An HTTP/1.0 message cannot have a Transfer-Encoding field."
        case .unsupportedTransferCoding: "The only transfer coding supported is chunked."
        case .conflictingFraming: "The message has both a Content-Length and a Transfer-Encoding field."
        case .contentInConnect: "A CONNECT request cannot have content."
        case .malformedChunkSize: "A chunk size is not a hexadecimal number on a line of its own."
        case .chunkSizeOverflow: "A chunk size is too large a number."
        case .malformedChunkExtension: "A chunk extension is not a name with or without a value."
        case .chunkExtensionsTooLarge: "The chunk extensions are larger than the limit."
        case .missingChunkEnd: "A chunk does not end where its size says."
        case .framingInTrailers: "A trailer field would change where the message ends."
        case .trailersTooLarge: "The trailer fields are larger than the limit."
        case .bodyCutShort: "The connection was closed before the end of the message body."
        case .unexpectedUpgrade: "It switches protocols (101), which the client did not ask for."
        }
    }
}
