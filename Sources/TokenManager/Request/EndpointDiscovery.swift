/// Where tokens are asked for: as configured, or as the issuer's metadata says, with the readings of it in flight.
///
/// It knows no clock and sends nothing; its owner reads metadata where `metadata(of:_:)` has none.
struct EndpointDiscovery {
    /// A reading that is in flight; credentials of one issuer share it, as they do what it brings.
    typealias Reading = Task<Result<ServerMetadata, FetchFailure>, Never>

    private var known: [MetadataKey: KnownMetadata] = [:]
    /// The readings in flight.
    var readings: [MetadataKey: Reading] = [:]

    /// What is known of an issuer; nil where its metadata has to be read first.
    func metadata(of key: MetadataKey, _ now: ContinuousClock.Instant) -> ServerMetadata? {
        known[key].flatMap { $0.isStale(now) ? nil : $0.metadata }
    }

    /// A reading ended; where it failed, what is known stays in use.
    ///
    /// - Returns: What to use from now on.
    /// - Throws: Why the reading failed, where nothing is known.
    mutating func readingEnded(
        _ key: MetadataKey, _ result: Result<ServerMetadata, FetchFailure>, _ now: ContinuousClock.Instant
    ) throws(FetchFailure) -> ServerMetadata {
        do throws(FetchFailure) {
            let found = try result.get()
            known[key] = KnownMetadata(found, readAt: now)
            return found
        } catch {
            guard let old = known[key] else { throw error }
            known[key]?.readingFailed(now)
            return old.metadata
        }
    }

    /// Where a grant's tokens are asked for, as its issuer's metadata says.
    ///
    /// - Throws: `FetchFailure` where the metadata names no place for this grant.
    mutating func place(
        of grant: TokenGrant, _ key: MetadataKey, _ metadata: ServerMetadata
    ) throws(FetchFailure) -> TokenPlace {
        do throws(ServerMetadata.Unusable) {
            let url = try metadata.tokenEndpoint(presentsCertificate: grant.roles.contains(.tlsCertificate))
            return TokenPlace(url, audience: metadata.tokenEndpoint)
        } catch {
            // As with an endpoint that gives no answer: some day the metadata says another.
            known[key]?.endpointFailed()
            throw MetadataSearch.unusable(key.issuer, [error.reason])
        }
    }

    /// A token was asked for at the place of a grant, which says whether a discovered endpoint is of use.
    mutating func endpointEnded(of grant: TokenGrant, _ failure: FetchFailure?) {
        guard case .issuer(let issuer) = grant.endpoint else { return }
        let key = MetadataKey(issuer: issuer, caFile: grant.caFile)
        guard let failure, !failure.isDefinitive else {
            known[key]?.endpointAnswered()
            return
        }
        if !failure.isLocal { known[key]?.endpointFailed() }
    }
}
