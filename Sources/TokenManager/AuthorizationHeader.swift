import FoundationEssentials

/// The field to put on a request; its value holds a token, which no description or reflection shows.
public struct AuthorizationHeader: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The field's name: "Authorization", unless the credential names another one.
    public let name: String
    /// The whole field value, for instance "Bearer …".
    public let value: String
    /// The instant from which the value must not be sent.
    public let usableUntil: ContinuousClock.Instant
    /// The instant from which a holder of a copy should ask again.
    ///
    /// It is earlier than `usableUntil` only for a token that is renewed on request, such as those of parameterised
    /// credentials.
    public let askAgainAt: ContinuousClock.Instant
    /// When the token was received or its file was read; nil if unknown.
    public let obtainedAt: ContinuousClock.Instant?
    /// Makes the `DPoP` field that each request needs beside this one; nil if the token is bound to no key.
    public let binding: TokenBinding?
    /// The number by which a refusal names the token or value.
    public let generation: TokenGeneration

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The whole field value.
    ///   - usableUntil: The instant from which the value must not be sent.
    ///   - askAgainAt: The instant from which a holder of a copy should ask again; nil for `usableUntil`.
    ///   - obtainedAt: When the token was received or its file was read.
    ///   - binding: Makes the `DPoP` field that each request needs beside this one.
    ///   - generation: The number by which a refusal names the token or value.
    public init(
        name: String, value: String, usableUntil: ContinuousClock.Instant,
        askAgainAt: ContinuousClock.Instant? = nil, obtainedAt: ContinuousClock.Instant? = nil,
        binding: TokenBinding? = nil, generation: TokenGeneration = .unissued
    ) {
        self.name = name
        self.value = value
        self.usableUntil = usableUntil
        self.askAgainAt = min(askAgainAt ?? usableUntil, usableUntil)
        self.obtainedAt = obtainedAt
        self.binding = binding
        self.generation = generation
    }

    /// The name alone.
    public var description: String { "\(name): <redacted>" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension CredentialConfiguration {
    /// A hundred years, for a value without an end where an instant is needed.
    private static let endless: Duration = .seconds(100 * 365 * 86_400)

    /// The field that carries a token.
    func header(_ token: AccessToken, askAgainAt: ContinuousClock.Instant? = nil) -> AuthorizationHeader {
        guard let key = token.proofKey else {
            return header(
                source.fieldValue(of: token.value, scheme: scheme), token.generation, usableUntil: token.usableUntil,
                askAgainAt: askAgainAt,
                obtainedAt: token.receivedAt)
        }
        return AuthorizationHeader(
            name: header, value: "DPoP \(token.value)", usableUntil: token.usableUntil, askAgainAt: askAgainAt,
            obtainedAt: token.receivedAt, binding: TokenBinding(key, token: token.value), generation: token.generation)
    }

    /// The field that carries a value that was read.
    func header(_ reading: LocalValue.Reading, now: ContinuousClock.Instant) -> AuthorizationHeader {
        header(
            reading.text, reading.generation, usableUntil: reading.usableUntil ?? now + Self.endless,
            obtainedAt: reading.readAt)
    }

    private func header(
        _ value: String, _ generation: TokenGeneration, usableUntil: ContinuousClock.Instant,
        askAgainAt: ContinuousClock.Instant? = nil, obtainedAt: ContinuousClock.Instant?
    ) -> AuthorizationHeader {
        AuthorizationHeader(
            name: header, value: scheme.map { "\($0) \(value)" } ?? value, usableUntil: usableUntil,
            askAgainAt: askAgainAt, obtainedAt: obtainedAt, generation: generation)
    }
}

extension CredentialSource {
    /// The word after the scheme: git over HTTP wants a token of GitHub as a password (Basic, RFC 7617).
    fileprivate func fieldValue(of token: String, scheme: String?) -> String {
        guard case .githubApp = self, scheme?.lowercased() == "basic" else { return token }
        return Data("x-access-token:\(token)".utf8).base64EncodedString()
    }
}
