extension ProxyError {
    /// The stable name of the error: a heading on the documentation's page Troubleshooting.
    package var code: StaticString {
        switch kind {
        case .malformedRequest: "malformed-request"
        case .ambiguousCredential: "ambiguous-credential"
        case .parameterUnusable: "parameter-unusable"
        case .subjectMissing: "subject-token-missing"
        case .subjectRefused: "subject-token-refused"
        case .notForAProxy: "not-a-proxy-request"
        case .notForAGateway: "not-a-gateway-request"
        case .hostDenied: "host-denied"
        case .originDenied: "origin-denied"
        case .destinationDenied: "destination-denied"
        case .plaintextDenied: "plaintext-denied"
        case .connectDenied: "connect-denied"
        case .traceDenied: "trace-denied"
        case .requestHeadTimeout: "request-head-timeout"
        case .requestBodyTimeout: "request-body-timeout"
        case .tooManyConnections: "too-many-connections"
        case .credentialUnavailable: "credential-unavailable"
        case .credentialTimeout: "credential-timeout"
        case .nameNotResolved: "name-not-resolved"
        case .tooManyLookups: "too-many-lookups"
        case .addressForbidden: "address-forbidden"
        case .connectionRefused: "connection-refused"
        case .connectionTimeout: "connection-timeout"
        case .connectionFailed: "connection-failed"
        case .connectionTerminated: "connection-terminated"
        case .certificateRefused: "certificate-refused"
        case .tlsFailed: "tls-failed"
        case .malformedResponse: "malformed-response"
        case .responseTimeout: "response-timeout"
        case .responseNotRead: "response-not-read"
        case .outOfDescriptors: "out-of-descriptors"
        case .shutdown: "shutting-down"
        }
    }
}
