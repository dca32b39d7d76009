extension Configuration {
    /// The purpose that a configuration is loaded for, which decides what it must hold.
    package enum Purpose: Equatable, Sendable {
        /// Serving requests, which needs a route or `unmatched: forward`.
        case serving
        /// Fetching a token, which needs a credential. Other settings may be absent, but are checked if present.
        case fetching
    }
}
