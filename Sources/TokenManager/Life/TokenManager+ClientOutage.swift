/// What the fetch of one value of a parameterised credential says about the client, it says about all values.
extension TokenManager {
    /// Why no fetch may begin for a place that only values of requests need; nil where it may.
    func clientRefusal(of slot: TokenSlot, _ now: ContinuousClock.Instant) -> TokenError? {
        guard isOfVariants(slot) else { return nil }
        for variant in variants(of: slot) {
            let credential = variant.credential
            let isProven = credential.isProven(variant.key)
            if let refusal = credential.clientOutage.refusal(at: now, isProven: isProven) { return refusal }
        }
        return nil
    }

    func noteFetchBegan(_ slot: TokenSlot) {
        for variant in variants(of: slot) { variant.credential.clientOutage.fetchBegan(ObjectIdentifier(slot)) }
    }

    func noteFetchSucceeded(_ slot: TokenSlot) {
        for variant in variants(of: slot) {
            variant.credential.clientOutage.end()
            variant.credential.prove(variant.key)
        }
    }

    func noteFetchFailed(
        _ slot: TokenSlot, _ failure: FetchFailure, _ now: ContinuousClock.Instant, _ random: Double
    ) {
        for variant in variants(of: slot) {
            let credential = variant.credential
            if variant.isToBlame(for: failure.error) {
                credential.clientOutage.valueRefused(ObjectIdentifier(slot), now: now)
            } else {
                credential.clientOutage.fetchFailed(ObjectIdentifier(slot), failure, now: now, random: random)
            }
        }
    }

    /// The values of parameterised credentials that need this token.
    private func variants(of slot: TokenSlot) -> [CredentialRecord.Variant] {
        (holders[slot.key] ?? []).compactMap(\.variant)
    }
}
