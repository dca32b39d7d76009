/// Whose metadata is meant; another trust store may mean another server.
struct MetadataKey: Hashable {
    let issuer: Issuer
    let caFile: String?
}

extension TokenManager {
    /// A reading of an issuer's metadata that is in flight.
    typealias Discovery = Task<Result<ServerMetadata, FetchFailure>, Never>

    /// Where a grant's tokens are asked for: as configured, as known, or as the issuer's metadata says now.
    func place(of grant: TokenGrant) async throws(FetchFailure) -> TokenPlace {
        switch grant.endpoint {
        case .url(let url): return TokenPlace(url)
        case .issuer(let issuer):
            let key = MetadataKey(issuer: issuer, caFile: grant.caFile)
            let known = try await knownMetadata(key)
            do throws(ServerMetadata.Unusable) {
                let url = try known.tokenEndpoint(presentsCertificate: grant.roles.contains(.tlsCertificate))
                return TokenPlace(url, audience: known.tokenEndpoint)
            } catch {
                // As with an endpoint that gives no answer: some day the metadata says another.
                metadata[key]?.endpointFailed()
                throw Self.unusable(issuer, [error.reason])
            }
        }
    }

    private func knownMetadata(_ key: MetadataKey) async throws(FetchFailure) -> ServerMetadata {
        if let known = metadata[key], !known.isStale(clock.now) { return known.metadata }
        do throws(FetchFailure) {
            // Credentials of one issuer share one reading, as they do what it brings.
            let found = try await end(of: discoveries[key] ?? startDiscovery(key)).get()
            metadata[key] = KnownMetadata(found, readAt: clock.now)
            return found
        } catch {
            guard let known = metadata[key] else { throw error }
            metadata[key]?.readingFailed(clock.now)
            return known.metadata
        }
    }

    /// Remembers whether a discovered endpoint is of use.
    func noteEndpoint(of grant: TokenGrant, _ failure: FetchFailure?) {
        guard case .issuer(let issuer) = grant.endpoint else { return }
        let key = MetadataKey(issuer: issuer, caFile: grant.caFile)
        guard let failure, !failure.isDefinitive else {
            metadata[key]?.endpointAnswered()
            return
        }
        if !failure.isLocal { metadata[key]?.endpointFailed() }
    }

    /// Reads an issuer's metadata from the first place that has it.
    func discover(_ key: MetadataKey) async throws(FetchFailure) -> ServerMetadata {
        let issuer = key.issuer
        var reasons: [String] = []
        for url in issuer.metadataURLs {
            let request = TokenRequest(.get, url, fields: [("Accept", "application/json")], caFile: key.caFile)
            switch await exchange(request) {
            case .success(let response):
                do throws(ServerMetadata.Unusable) {
                    return try ServerMetadata(response, of: issuer)
                } catch {
                    reasons.append("\(url.path): \(error.reason)")
                }
            case .failure(let error):
                // The other places are on the same server.
                throw FetchFailure(
                    error: TokenError(
                        kind: .tokenServerUnreachable,
                        message: "the issuer \(issuer) gave no metadata (\(error.message))\(error.advice)"),
                    isLocal: error.isLocal)
            }
        }
        throw Self.unusable(issuer, reasons)
    }

    private static func unusable(_ issuer: Issuer, _ reasons: [String]) -> FetchFailure {
        let message =
            "the issuer \(issuer) has no usable metadata (\(reasons.joined(separator: "; "))): "
            + "write the issuer as its metadata names it, or the address of the token endpoint as tokenUrl"
        return FetchFailure(error: TokenError(kind: .badMetadata, message: message))
    }
}
