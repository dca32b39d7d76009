/// Who means a token: a configured credential, or one value of a parameterised one.
///
/// The store alone changes it. Two holders are the same only if they are one object: a value that was forgotten and named
/// again is another holder.
final class TokenHolder {
    /// The credential's name.
    let name: String
    /// Which value it is; nil for the credential itself.
    let variant: TokenVariant?
    /// Which token is meant, once the secrets have been read; nil for a parameterised credential, whose values mean some.
    var key: TokenKey?
    /// The secrets in use: as they were last readable, but for a refresh token that the server has replaced since.
    var secrets: SecretTexts?
    /// Whether the observer holds a copy of the token.
    var isPublished = false

    init(_ name: String, variant: TokenVariant? = nil) {
        self.name = name
        self.variant = variant
    }
}
