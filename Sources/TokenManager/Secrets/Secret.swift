/// A secret, or where to find it; no description or reflection shows a literal one.
public enum Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself.
    case literal(String)
    /// A file that holds it; the file is read again when it changes.
    case file(path: String)
    /// An environment variable that holds it.
    case environment(name: String)

    /// Where the secret is, never the secret.
    public var description: String {
        switch self {
        case .literal: "<redacted>"
        case .file(let path): "file \(path)"
        case .environment(let name): "environment variable \(name)"
        }
    }

    /// Whether it is in a file, and may therefore change.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// The place of the secret, as a part of a sentence.
    package var place: String {
        switch self {
        case .literal: "the value in the configuration"
        case .file(let path): "the file \(path)"
        case .environment(let name): "the environment variable \(name)"
        }
    }

    /// Where the secret is, never the secret.
    public var debugDescription: String { description }
    /// Where the secret is, never the secret.
    public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}

/// A secret that was read; no description or reflection shows it.
package struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let value: String

    package init(_ value: String) {
        self.value = value
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret on a single line, as all are except keys and certificates in PEM.
package enum SecretLine {
    /// The text without one final line break, which editors write.
    package static func trimmed(_ text: String) -> String {
        // "\r\n" is one Character.
        guard let last = text.last, last == "\n" || last == "\r\n" else { return text }
        return String(text.dropLast())
    }

    /// Whether the text holds nothing but line breaks.
    package static func isEmpty(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }

    /// Why a trimmed text is not one line, as the rest of a sentence that quotes no part of it; nil if it is.
    package static func problem(_ text: String) -> String? {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
            ? nil : "contains a second line or another control character: write the value alone, on one line"
    }
}

/// The secrets of one credential as they were read; no description or reflection shows them.
package struct SecretTexts: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private var texts: [SecretRole: SecretText]

    package init(_ texts: [SecretRole: SecretText] = [:]) {
        self.texts = texts
    }

    package subscript(role: SecretRole) -> SecretText? {
        get { texts[role] }
        set { texts[role] = newValue }
    }

    /// All texts, for the check of messages.
    package var values: [String] { texts.values.map(\.value) }

    /// Each secret with its role, in a fixed order.
    var sorted: [(role: SecretRole, text: SecretText)] {
        SecretRole.allCases.compactMap { role in texts[role].map { (role, $0) } }
    }

    /// Whether only the refresh token differs.
    func differOnlyInRefreshToken(from other: SecretTexts) -> Bool {
        guard texts[.refreshToken] != nil else { return false }
        var changed = self
        changed[.refreshToken] = other[.refreshToken]
        return changed == other && self != other
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The purpose of a secret in a token request.
package enum SecretRole: String, Sendable, Hashable, CaseIterable {
    case clientSecret
    /// A finished client assertion, not signed here.
    case clientAssertion
    case clientAssertionKey
    case clientAssertionCertificate
    /// A finished assertion, not signed here.
    case assertion
    case assertionKey
    case assertionCertificate
    case subjectToken
    case actorToken
    case refreshToken
    case apikey
    case tlsCertificate
    case tlsKey
    /// The key that tokens are bound to (DPoP).
    case proofKey

    /// Whether it is a key or certificates in PEM; every other secret is one line.
    var isPEM: Bool {
        switch self {
        case .clientAssertionKey, .clientAssertionCertificate, .assertionKey, .assertionCertificate, .tlsCertificate,
            .tlsKey, .proofKey:
            true
        case .clientSecret, .clientAssertion, .assertion, .subjectToken, .actorToken, .refreshToken, .apikey: false
        }
    }

    /// The secret as a part of a sentence.
    var name: String {
        switch self {
        case .clientSecret: "the client's secret"
        case .clientAssertion: "the client assertion"
        case .clientAssertionKey: "the client assertion's private key"
        case .clientAssertionCertificate: "the client assertion's certificate"
        case .assertion: "the assertion"
        case .assertionKey: "the assertion's private key"
        case .assertionCertificate: "the assertion's certificate"
        case .subjectToken: "the subject token"
        case .actorToken: "the actor token"
        case .refreshToken: "the refresh token"
        case .apikey: "the API key"
        case .tlsCertificate: "the client certificate"
        case .tlsKey: "the client certificate's key"
        case .proofKey: "the private key of dpop"
        }
    }
}
