/// A user of a token: a configured credential, or one variant of a parameterised one.
///
/// Only the store changes it. Two holders are the same only if they are one object: a variant that was forgotten and
/// requested again is another holder.
final class TokenHolder {
    /// The credential's name.
    let name: String
    /// The variant; nil for the credential itself.
    let variant: TokenVariant?
    /// The key of its token, once the secrets have been read; nil for a parameterised credential, whose variants have
    /// keys.
    var key: TokenKey?
    /// The secrets in use: as they were last readable, except for a refresh token that the server has replaced since.
    var secrets: SecretTexts?
    /// Whether the observer holds a copy of the token.
    var isPublished = false

    init(_ name: String, variant: TokenVariant? = nil) {
        self.name = name
        self.variant = variant
    }
}
