/// Which response of a backend refuses the attached token, so that Attaché fetches another one.
package enum RefreshRule: Equatable, Sendable {
    /// No response: each one is passed on.
    case never
    /// A 401 whose challenge says `invalid_token` (RFC 6750 section 3.1).
    case invalidToken
    /// Every 401, for backends that do not say why.
    case unauthorized
    /// A response that meets any of these conditions.
    case conditions([RefusalCondition])

    package var isNever: Bool {
        switch self {
        case .never: true
        case .invalidToken, .unauthorized, .conditions: false
        }
    }
}
