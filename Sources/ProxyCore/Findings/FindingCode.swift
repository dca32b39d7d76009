/// The stable name of a finding: a heading on the documentation's page Troubleshooting.
///
/// The codes of failed token requests and of refused requests are those of `TokenError` and `ProxyError`.
package enum FindingCode: String, CaseIterable, Sendable {
    // The settings.
    case routeUnreachable = "route-unreachable"
    case listenerRefusesAll = "listener-refuses-all"
    case credentialUnused = "credential-unused"
    case settingWithoutEffect = "setting-without-effect"
    case unknownVariable = "unknown-variable"
    case placeholderSecret = "placeholder-secret"
    case weakSecret = "weak-secret"
    case assertionWithoutSubject = "assertion-without-subject"
    case authorityWithoutRoot = "authority-without-root"
    case cacheTooSmall = "cache-too-small"
    case userWithoutPassword = "user-without-password"
    case socketModeTooNarrow = "socket-mode-too-narrow"
    case socketFolderMissing = "socket-folder-missing"
    case valueMisspelt = "value-misspelt"
    case certificateAuthoritiesMissing = "certificate-authorities-missing"
    case plaintextDenied = "plaintext-denied"
    case addressesTooOpen = "addresses-too-open"
    case loopDetected = "loop-detected"
    case descriptorLimitLow = "descriptor-limit-low"
    case configurationNotReloaded = "configuration-not-reloaded"
    case restartNeeded = "restart-needed"
    // Certificates.
    case certificateNotYetValid = "certificate-not-yet-valid"
    case certificateExpired = "certificate-expired"
    case certificateExpiresSoon = "certificate-expires-soon"
    case backendCertificateExpiresSoon = "backend-certificate-expires-soon"
    case tokenServerCertificateExpiresSoon = "token-server-certificate-expires-soon"
    // Credentials.
    case credentialUnavailable = "credential-unavailable"
    case credentialMisconfigured = "credential-misconfigured"
    case secretUnreadable = "secret-unreadable"
    case refreshTokenNotWritten = "refresh-token-not-written"
    case valueUnusable = "value-unusable"
    case tokenExpired = "token-expired"
    case tooManyFetches = "too-many-fetches"
    case tokenServerUnreachable = "token-server-unreachable"
    case tokenServerLeadsBack = "token-server-leads-back"
    case tokenServerRefused = "token-server-refused"
    case tokenResponseUnusable = "token-response-unusable"
    case metadataUnusable = "metadata-unusable"
    // Servers, as an examination finds them.
    case nameNotResolved = "name-not-resolved"
    case addressForbidden = "address-forbidden"
    case connectionRefused = "connection-refused"
    case connectionTimeout = "connection-timeout"
    case connectionFailed = "connection-failed"
    case connectionTerminated = "connection-terminated"
    case upstreamProxyRefused = "upstream-proxy-refused"
    case certificateRefused = "certificate-refused"
    case tlsFailed = "tls-failed"
    case malformedResponse = "malformed-response"
    case responseTimeout = "response-timeout"
    case clockDiffers = "clock-differs"
    case backendRefusesToken = "backend-refuses-token"
    case backendDeniesAccess = "backend-denies-access"
    case backendFails = "backend-fails"
    case backendOpen = "backend-open"
    case tokenNotTested = "token-not-tested"
    // Attaché itself.
    case outOfDescriptors = "out-of-descriptors"
    case tooManyConnections = "too-many-connections"
    case logLinesDropped = "log-lines-dropped"
    case accessLogNotReopened = "access-log-not-reopened"
    case shuttingDown = "shutting-down"

    /// The page and heading that explain the finding, as in the `type` of an error response.
    package var documentation: String { "Troubleshooting.md#\(rawValue)" }

    /// The failures of a certificate of Attaché's own.
    package static let ownCertificate: Set<FindingCode> = [
        .certificateNotYetValid, .certificateExpired, .certificateExpiresSoon,
    ]

    /// Whether a warning of this code is about the content or the folder of a file, which may change without a reload.
    package var isOfFileContent: Bool {
        Self.ownCertificate.contains(self)
            || [.weakSecret, .authorityWithoutRoot, .userWithoutPassword, .refreshTokenNotWritten].contains(self)
    }

    /// The failures on the way to a server, each of which explains why it does not answer.
    package static let connectionFailures: Set<FindingCode> = [
        .nameNotResolved, .addressForbidden, .loopDetected, .connectionRefused, .connectionTimeout, .connectionFailed,
        .connectionTerminated, .upstreamProxyRefused, .certificateRefused, .tlsFailed,
    ]

    /// The failures of a token request or of a secret, each of which explains why a credential has no token.
    package static let tokenFailures: Set<FindingCode> = [
        .credentialMisconfigured, .secretUnreadable, .refreshTokenNotWritten, .valueUnusable, .tokenExpired,
        .tooManyFetches, .tokenServerUnreachable, .tokenServerLeadsBack, .tokenServerRefused, .tokenResponseUnusable,
        .metadataUnusable,
    ]
}
