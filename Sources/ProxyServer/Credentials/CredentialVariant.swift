import EventTransport
import ProxyCore
import TokenManager

/// One value of a parameterised credential, with the finished line for the requests that mean it.
///
/// Confined to the worker's loop. The table's own are kept up to date; one that an exchange was given because the table had
/// none is that exchange's alone.
final class CredentialVariant {
    /// Names a value among those of all credentials.
    struct Key: Hashable {
        var credential: Int
        var parameters = ParameterKey()
    }

    let key: Key
    let request: RequestParameters
    var slot: CredentialTable.Slot?
    /// Whether a request was served from here since the token manager was told of such.
    var isUsed = false

    init(_ key: Key, _ request: RequestParameters) {
        self.key = key
        self.request = request
    }
}

/// Which token a request needs: of which credential, and of which of its values.
struct CredentialUse {
    let index: Int
    /// Nil where the credential has one token for all.
    let variant: CredentialVariant?

    /// What the request says that counts for the token.
    var request: RequestParameters { variant?.request ?? RequestParameters() }
}
