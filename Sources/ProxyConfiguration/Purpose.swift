extension Configuration {
    /// What a configuration is loaded for, which decides what it must hold.
    package enum Purpose: Equatable, Sendable {
        /// Serving requests: there is something to do with those that come.
        case serving
        /// Fetching a token: there is a credential. What is said beside must be right, but need not be there.
        case fetching
    }
}
