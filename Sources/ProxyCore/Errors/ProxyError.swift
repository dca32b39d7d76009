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
        case clientDenied
        case loginRequired
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
        case loop
        case connectionRefused
        case connectionTimeout
        case connectionFailed
        case connectionTerminated
        case upstreamProxyRefused
        case certificateRefused
        case tlsFailed
        case malformedResponse
        case responseTimeout
        case responseNotRead
        case clientGone
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
    /// Whether the parent proxy on the way failed, and not the backend.
    package let concernsParent: Bool

    package init(_ kind: Kind, _ detail: String, retryAfter: Int? = nil, concernsParent: Bool = false) {
        self.kind = kind
        self.detail = detail
        self.retryAfter = retryAfter
        self.concernsParent = concernsParent
    }

    package var source: Source {
        switch kind {
        case .malformedRequest, .ambiguousCredential, .parameterUnusable, .subjectMissing, .subjectRefused,
            .notForAProxy, .notForAGateway, .hostDenied, .originDenied, .clientDenied, .loginRequired,
            .destinationDenied,
            .plaintextDenied, .connectDenied, .traceDenied, .tunnelHostMismatch, .tlsInTunnel, .requestHeadTimeout,
            .requestBodyTimeout, .responseNotRead, .clientGone:
            .downstream
        case .credentialUnavailable, .credentialTimeout: .credential
        case .tooManyConnections, .tooManyLookups, .outOfDescriptors, .tunnelIdle, .tunnelTimeout, .shutdown: .internal
        case .nameNotResolved, .addressForbidden, .loop, .connectionRefused, .connectionTimeout, .connectionFailed,
            .connectionTerminated, .upstreamProxyRefused, .certificateRefused, .tlsFailed, .malformedResponse,
            .responseTimeout:
            .upstream
        }
    }
}

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
        case .clientDenied: "client-denied"
        case .loginRequired: "proxy-login-required"
        case .destinationDenied: "destination-denied"
        case .plaintextDenied: "plaintext-denied"
        case .connectDenied: "connect-denied"
        case .traceDenied: "trace-denied"
        case .tunnelHostMismatch: "tunnel-host-mismatch"
        case .tlsInTunnel: "tls-in-tunnel"
        case .requestHeadTimeout: "request-head-timeout"
        case .requestBodyTimeout: "request-body-timeout"
        case .tooManyConnections: "too-many-connections"
        case .credentialUnavailable: "credential-unavailable"
        case .credentialTimeout: "credential-timeout"
        case .nameNotResolved: "name-not-resolved"
        case .tooManyLookups: "too-many-lookups"
        case .addressForbidden: "address-forbidden"
        case .loop: "loop-detected"
        case .connectionRefused: "connection-refused"
        case .connectionTimeout: "connection-timeout"
        case .connectionFailed: "connection-failed"
        case .connectionTerminated: "connection-terminated"
        case .upstreamProxyRefused: "upstream-proxy-refused"
        case .certificateRefused: "certificate-refused"
        case .tlsFailed: "tls-failed"
        case .malformedResponse: "malformed-response"
        case .responseTimeout: "response-timeout"
        case .responseNotRead: "response-not-read"
        case .clientGone: "client-gone"
        case .tunnelIdle: "tunnel-idle"
        case .tunnelTimeout: "tunnel-timeout"
        case .outOfDescriptors: "out-of-descriptors"
        case .shutdown: "shutting-down"
        }
    }
}

/// The errors of a backend that broke the connection or the rules of HTTP, with what to do about them.
extension ProxyError {
    /// The backend's connection ended too early; `what` names the backend and what happened.
    package init(terminated what: String) {
        self.init(
            .connectionTerminated, "\(what); look at the backend's log, and repeat the request only if it may run twice"
        )
    }

    /// The backend `name` sent something other than HTTP; `reason` is a sentence that says what.
    package init(malformed error: MessageError, _ reason: String, from name: String) {
        let advice =
            switch error {
            case .tooManyFields, .headTooLarge: "Let the backend send less, or raise the limit."
            default: "Correct the backend, or the proxy between it and attache."
            }
        self.init(.malformedResponse, "The response of \(name) is not valid HTTP/1.1: \(reason) \(advice)")
    }
}
