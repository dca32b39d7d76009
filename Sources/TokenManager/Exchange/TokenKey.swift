import Signing

/// Which token is meant: credentials with equal keys share one token and one fetch.
///
/// The secret takes part as a digest, so a changed secret is another key and no table holds the secret itself.
package struct TokenKey: Sendable, Hashable {
    package let grant: TokenGrant
    private let secretVersion: SecretVersion

    package init(grant: TokenGrant, secret: SecretText) {
        self.grant = grant
        secretVersion = SecretVersion(secret)
    }
}

/// Tells two secrets apart without holding either; a weak secret could be guessed from it, so it is shown nowhere.
private struct SecretVersion: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private let digest: SHA256

    init(_ secret: SecretText) {
        digest = SHA256(of: Array(secret.value.utf8))
    }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
