/// How often a request has been sent, and what it may still be sent again for.
extension ExchangeStateMachine {
    /// Which repetitions are left: one with another token and one with a nonce, or one after a lost connection.
    package enum Attempt: Equatable, Sendable {
        /// Sent for the first time. All repetitions are left.
        case first
        /// Sent again with a nonce. A refused token may still be replaced.
        case withNonce
        /// Sent again with another token. A nonce may still be asked for.
        case withToken
        /// Sent again, and no repetition is left.
        case last

        /// The repetition with another token; nil where none is left.
        var withAnotherToken: Attempt? {
            switch self {
            case .first: .withToken
            case .withNonce: .last
            case .withToken, .last: nil
            }
        }

        /// The repetition with a nonce; nil where none is left.
        var withRequiredNonce: Attempt? {
            switch self {
            case .first: .withNonce
            case .withToken: .last
            case .withNonce, .last: nil
            }
        }
    }
}
