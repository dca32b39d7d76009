/// How often a request has been sent, and for which reasons it may be sent again.
extension ExchangeStateMachine {
    /// The repetitions that are left: one with another token and one with a nonce, or one after a lost connection.
    package enum Attempt: Equatable, Sendable {
        /// Sent for the first time. All repetitions are left.
        case first
        /// Sent again with a nonce. A refused token may still be replaced.
        case withNonce
        /// Sent again with another token. The backend may still ask for a nonce.
        case withToken
        /// Sent again for the last time.
        case last

        /// The next attempt with another token; nil if none is left.
        var withAnotherToken: Attempt? {
            switch self {
            case .first: .withToken
            case .withNonce: .last
            case .withToken, .last: nil
            }
        }

        /// The next attempt with a nonce; nil if none is left.
        var withRequiredNonce: Attempt? {
            switch self {
            case .first: .withNonce
            case .withToken: .last
            case .withNonce, .last: nil
            }
        }
    }
}
