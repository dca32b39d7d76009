/// How far a refresh token that the server has replaced is on its way back to the file of the old one.
enum SecretWriting {
    /// The file holds what is in use.
    case done
    /// It is being written, perhaps again; the file is not looked at meanwhile. Left when that ends.
    case underWay(after: TokenError?)
    /// It could not be written and is in use from memory only; it is tried again from the instant on.
    case failed(TokenError, retryAt: ContinuousClock.Instant)

    /// How long a failed attempt rests.
    static let pause: Duration = .seconds(60)

    /// What went wrong, while it has not been put right.
    var error: TokenError? {
        switch self {
        case .done: nil
        case .underWay(let error): error
        case .failed(let error, _): error
        }
    }
}
