package import HTTPWire

/// Why an exchange was not served as requested, with all that a response, a log line and the retry rule need.
///
/// Holds no byte of a credential. Texts from elsewhere are for people and already free of secrets.
package struct ProxyError: Error, Equatable, Sendable {
    /// Whose fault it is.
    package enum Source: String, Sendable {
        case downstream
        case upstream
        case credential
        case `internal`
    }

    package enum Kind: Equatable, Sendable {
        case malformedRequest(MessageError)
        case ambiguousCredential
        case parameterUnusable
        case subjectMissing
        case subjectRefused
        case notForAProxy
        case notForAGateway
        case hostDenied
        case originDenied
        case destinationDenied
        case plaintextDenied
        case connectDenied(ConnectAdvice)
        case traceDenied
        case tunnelHostMismatch
        case tlsInTunnel
        case requestHeadTimeout
        case requestBodyTimeout
        case tooManyConnections
        case credentialUnavailable
        case credentialTimeout
        case nameNotResolved
        case tooManyLookups
        case addressForbidden
        case connectionRefused
        case connectionTimeout
        case connectionFailed
        case connectionTerminated
        case certificateRefused
        case tlsFailed
        case malformedResponse
        case responseTimeout
        case responseNotRead
        case tunnelIdle
        case tunnelTimeout
        case outOfDescriptors
        case shutdown
    }

    package let kind: Kind
    /// What failed, where, and what to do about it; one or two sentences for a person.
    package let detail: String
    /// After how many whole seconds to try again.
    package let retryAfter: Int?

    package init(_ kind: Kind, _ detail: String, retryAfter: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.retryAfter = retryAfter
    }

    package var source: Source {
        switch kind {
        case .malformedRequest, .ambiguousCredential, .parameterUnusable, .subjectMissing, .subjectRefused,
            .notForAProxy, .notForAGateway, .hostDenied, .originDenied, .destinationDenied, .plaintextDenied,
            .connectDenied, .traceDenied, .tunnelHostMismatch, .tlsInTunnel, .requestHeadTimeout,
            .requestBodyTimeout, .responseNotRead:
            .downstream
        case .credentialUnavailable, .credentialTimeout: .credential
        case .tooManyConnections, .tooManyLookups, .outOfDescriptors, .tunnelIdle, .tunnelTimeout, .shutdown: .internal
        case .nameNotResolved, .addressForbidden, .connectionRefused, .connectionTimeout, .connectionFailed,
            .connectionTerminated, .certificateRefused, .tlsFailed, .malformedResponse, .responseTimeout:
            .upstream
        }
    }
}
