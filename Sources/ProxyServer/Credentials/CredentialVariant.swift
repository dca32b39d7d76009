import EventTransport
import ProxyCore
import TokenManager

/// One value of a parameterised credential, with the header line for its requests.
///
/// Confined to the worker's loop. Variants in the table are kept up to date; one that is not in the table belongs to one
/// exchange.
final class CredentialVariant {
    /// The identity of a value among those of all credentials.
    struct Key: Hashable {
        var credential: Int
        var parameters = ParameterKey()
    }

    let key: Key
    let request: RequestParameters
    var slot: CredentialTable.Slot?
    /// Whether a request has used it since the last report to the token manager.
    var isUsed = false

    init(_ key: Key, _ request: RequestParameters) {
        self.key = key
        self.request = request
    }
}

/// The token that a request needs: the credential, and one of its values.
struct CredentialUse {
    let index: Int
    /// Nil if the credential has one token for all requests.
    let variant: CredentialVariant?

    /// The parameters of the request that select the token.
    var request: RequestParameters { variant?.request ?? RequestParameters() }
}
