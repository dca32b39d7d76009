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
        guard case .issuer(let issuer)? = grant.endpoint else { return }
        let key = MetadataKey(issuer: issuer, caFile: grant.caFile)
        // If the endpoint is this process itself, no server has answered, and the metadata may name another one later.
        guard let failure, !failure.isDefinitive || failure.error.kind == .tokenServerLeadsBack else {
            known[key]?.endpointAnswered()
            return
        }
        if !failure.isLocal { known[key]?.endpointFailed() }
    }
}

/// An issuer with the TLS settings to reach it; another trust store may mean another server.
struct MetadataKey: Hashable {
    let issuer: Issuer
    let caFile: String?
}

/// One search for an issuer's metadata, at each of its possible addresses in turn.
///
/// Its owner sends `request` and reports the response, until metadata is found or no request is left.
struct MetadataSearch {
    private let key: MetadataKey
    private var places: ArraySlice<TokenURL>
    private var reasons: [String] = []

    init(_ key: MetadataKey) {
        self.key = key
        places = key.issuer.metadataURLs[...]
    }

    /// The next request; nil if no address is left.
    var request: TokenRequest? {
        places.first.map { TokenRequest(.get, $0, fields: [("Accept", "application/json")], caFile: key.caFile) }
    }

    /// The request was answered.
    ///
    /// - Returns: The metadata; nil if the next address must be tried.
    /// - Throws: `FetchFailure` if the server did not answer: the other addresses are on the same server.
    mutating func answered(
        _ result: Result<TokenResponse, TokenTransportError>
    ) throws(FetchFailure) -> ServerMetadata? {
        guard let url = places.popFirst() else { preconditionFailure("metadata arrived that was not requested") }
        switch result {
        case .success(let response):
            do throws(ServerMetadata.Unusable) {
                return try ServerMetadata(response, of: key.issuer)
            } catch {
                reasons.append("\(url.path): \(error.reason)")
                return nil
            }
        case .failure(let error):
            throw FetchFailure(
                error: TokenError(
                    kind: error.kind,
                    message: "the issuer \(key.issuer) gave no metadata (\(error.message))\(error.advice)"),
                isDefinitive: error.leadsBack, isLocal: error.isLocal)
        }
    }

    /// Why no address had usable metadata.
    var failure: FetchFailure { Self.unusable(key.issuer, reasons) }

    /// The failure for unusable metadata.
    static func unusable(_ issuer: Issuer, _ reasons: [String]) -> FetchFailure {
        let message =
            "the issuer \(issuer) has no usable metadata (\(reasons.joined(separator: "; "))): "
            + "write the issuer as its metadata names it, or the address of the token endpoint as tokenUrl"
        return FetchFailure(error: TokenError(kind: .badMetadata, message: message))
    }
}

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

extension TokenManager {
    /// The token endpoint for a grant; if the issuer's metadata must be read first, waits for it.
    func place(of grant: TokenGrant) async throws(FetchFailure) -> TokenPlace {
        switch grant.endpoint {
        case nil: preconditionFailure("a token that is signed here has no endpoint")
        case .url(let url)?: return TokenPlace(url)
        case .issuer(let issuer)?:
            let key = MetadataKey(issuer: issuer, caFile: grant.caFile)
            if let known = discovery.metadata(of: key, clock.now) {
                return try discovery.place(of: grant, key, known)
            }
            let result = await end(of: discovery.readings[key] ?? startDiscovery(key))
            return try discovery.place(of: grant, key, try discovery.readingEnded(key, result, clock.now))
        }
    }

    /// Reads an issuer's metadata from the first address that has it.
    func discover(_ key: MetadataKey) async throws(FetchFailure) -> ServerMetadata {
        var search = MetadataSearch(key)
        while let request = search.request {
            if let found = try search.answered(await exchange(request)) { return found }
        }
        throw search.failure
    }
}
