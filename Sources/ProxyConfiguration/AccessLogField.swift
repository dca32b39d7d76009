/// A field of the access log's lines; the raw value is its name.
package enum AccessLogField: String, CaseIterable, Sendable {
    case time
    case route
    case method
    case target
    case status
    case durationMs
    case bytesReceived
    case bytesSent
    case client
    case upstream
    case attempts
    case credential
    case tokenAge
    case challenge
    case upgrade
    case source
    case code
    case error
    case authority
    case path
    case query
    case clientAddress
    case upstreamAddress
    case connectionReused
    case credentialOutcome
    case credentialMs
    case connectMs
    case firstByteMs
    case traceId

    /// The fields of a line if the configuration chooses none.
    package static let standard: [AccessLogField] = [
        .time, .route, .method, .target, .status, .durationMs, .bytesReceived, .bytesSent, .client, .upstream,
        .attempts,
        .credential, .tokenAge, .challenge, .upgrade, .source, .code, .error,
    ]
}
