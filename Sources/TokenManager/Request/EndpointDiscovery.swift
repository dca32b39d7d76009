/// The token endpoints: as configured, or from the issuer's metadata, with the metadata reads in flight.
///
/// It knows no clock and sends nothing; its owner reads the metadata if `metadata(of:_:)` returns nil.
struct EndpointDiscovery {
    /// A metadata read in flight; all credentials of one issuer share it and its result.
    typealias Reading = Task<Result<ServerMetadata, FetchFailure>, Never>

    private var known: [MetadataKey: KnownMetadata] = [:]
    /// The metadata reads in flight.
    var readings: [MetadataKey: Reading] = [:]

    /// The known metadata of an issuer; nil if it must be read first.
    func metadata(of key: MetadataKey, _ now: ContinuousClock.Instant) -> ServerMetadata? {
        known[key].flatMap { $0.isStale(now) ? nil : $0.metadata }
    }

    /// A metadata read ended; if it failed, the known metadata stays in use.
    ///
    /// - Returns: The metadata to use from now on.
    /// - Throws: The reason why the read failed, if no metadata is known.
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

    /// The token endpoint for a grant, from its issuer's metadata.
    ///
    /// - Throws: `FetchFailure` if the metadata names no endpoint for this grant.
    mutating func place(
        of grant: TokenGrant, _ key: MetadataKey, _ metadata: ServerMetadata
    ) throws(FetchFailure) -> TokenPlace {
        do throws(ServerMetadata.Unusable) {
            let url = try metadata.tokenEndpoint(presentsCertificate: grant.roles.contains(.tlsCertificate))
            return TokenPlace(url, audience: metadata.tokenEndpoint)
        } catch {
            // As with an endpoint that does not answer: the metadata may name another one later.
            known[key]?.endpointFailed()
            throw MetadataSearch.unusable(key.issuer, [error.reason])
        }
    }

    /// A token request of a grant ended, which shows whether a discovered endpoint works.
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
