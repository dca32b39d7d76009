extension TokenManager {
    /// The token endpoint for a grant; if the issuer's metadata must be read first, waits for it.
    func place(of grant: TokenGrant) async throws(FetchFailure) -> TokenPlace {
        switch grant.endpoint {
        case .url(let url): return TokenPlace(url)
        case .issuer(let issuer):
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
