/// What was read of an issuer's metadata, and whether it is time to read it again.
package struct KnownMetadata: Sendable, Equatable {
    /// After so long metadata is read again before the next token is asked for.
    package static let longestUse: Duration = .seconds(86_400)
    /// After so many requests in a row without an answer of use the endpoint may have moved.
    package static let mostFailures = 2

    package let metadata: ServerMetadata
    private var readAt: ContinuousClock.Instant
    private var failures = 0

    package init(_ metadata: ServerMetadata, readAt: ContinuousClock.Instant) {
        self.metadata = metadata
        self.readAt = readAt
    }

    /// Whether it has to be read again before the endpoint is used.
    package func isStale(_ now: ContinuousClock.Instant) -> Bool {
        failures >= Self.mostFailures || now >= readAt + Self.longestUse
    }

    /// The endpoint gave an answer that is of use, be it a refusal.
    package mutating func endpointAnswered() { failures = 0 }

    /// The endpoint gave none.
    package mutating func endpointFailed() { failures += 1 }

    /// It could not be read again, so what is known stays in use as if it had been.
    package mutating func readingFailed(_ now: ContinuousClock.Instant) {
        readAt = now
        failures = 0
    }
}
