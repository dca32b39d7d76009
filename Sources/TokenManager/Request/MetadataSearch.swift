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
                    kind: .tokenServerUnreachable,
                    message: "the issuer \(key.issuer) gave no metadata (\(error.message))\(error.advice)"),
                isLocal: error.isLocal)
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
