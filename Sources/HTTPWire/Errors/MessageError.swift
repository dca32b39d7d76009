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
