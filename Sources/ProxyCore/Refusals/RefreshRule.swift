/// Which response of a backend refuses the token that was attached, so that another is fetched.
package enum RefreshRule: Equatable, Sendable {
    /// None: every response passes.
    case never
    /// A 401 whose challenge says `invalid_token` (RFC 6750 section 3.1).
    case invalidToken
    /// Every 401, for backends that do not say why.
    case unauthorized
    /// One that meets any of these.
    case conditions([RefusalCondition])

    package var isNever: Bool {
        switch self {
        case .never: true
        case .invalidToken, .unauthorized, .conditions: false
        }
    }
}
