/// The known metadata of an issuer, and whether it is due to be read again.
package struct KnownMetadata: Sendable, Equatable {
    /// After this time, the metadata is read again before the next fetch.
    package static let longestUse: Duration = .seconds(86_400)
    /// After this many requests in a row without a useful response, the endpoint may have moved.
    package static let mostFailures = 2

    package let metadata: ServerMetadata
    private var readAt: ContinuousClock.Instant
    private var failures = 0

    package init(_ metadata: ServerMetadata, readAt: ContinuousClock.Instant) {
        self.metadata = metadata
        self.readAt = readAt
    }

    /// Whether the metadata must be read again before the endpoint is used.
    package func isStale(_ now: ContinuousClock.Instant) -> Bool {
        failures >= Self.mostFailures || now >= readAt + Self.longestUse
    }

    /// The endpoint gave a useful response, even if it was a refusal.
    package mutating func endpointAnswered() { failures = 0 }

    /// The endpoint gave no useful response.
    package mutating func endpointFailed() { failures += 1 }

    /// The metadata could not be read again, so the known one stays in use as if it had been.
    package mutating func readingFailed(_ now: ContinuousClock.Instant) {
        readAt = now
        failures = 0
    }
}
