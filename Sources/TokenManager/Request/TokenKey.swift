import Signing

/// Identifies a token: credentials with equal keys share one token and one fetch.
///
/// The secrets take part as a digest. So a changed secret makes another key, and no table holds a secret itself.
package struct TokenKey: Sendable, Hashable {
    package let grant: TokenGrant
    private let version: SecretVersion

    package init(grant: TokenGrant, secrets: SecretTexts) {
        self.grant = grant
        version = SecretVersion(secrets)
    }
}

/// Distinguishes secrets without holding them; a weak secret could be guessed from it, so no description shows it.
private struct SecretVersion: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private let digest: SHA256

    init(_ secrets: SecretTexts) {
        var text: [UInt8] = []
        for (role, secret) in secrets.sorted {
            // With its length, so that no two lists of texts make the same bytes.
            text += "\(role.rawValue) \(secret.value.utf8.count):\(secret.value)".utf8
        }
        digest = SHA256(of: text)
    }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
