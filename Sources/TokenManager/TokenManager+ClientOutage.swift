/// What the fetch of one value of a parameterised credential says about the client, it says about all values.
extension TokenManager {
    /// Why no fetch may begin for a place that only values of requests need; nil where it may.
    func clientRefusal(of slot: TokenSlot, _ now: ContinuousClock.Instant) -> TokenError? {
        guard isOfVariants(slot) else { return nil }
        for credential in credentials(of: slot) {
            if let refusal = credential.clientOutage.refusal(at: now) { return refusal }
        }
        return nil
    }

    func noteFetchBegan(_ slot: TokenSlot) {
        for credential in credentials(of: slot) { credential.clientOutage.fetchBegan(ObjectIdentifier(slot)) }
    }

    func noteFetchSucceeded(_ slot: TokenSlot) {
        for credential in credentials(of: slot) { credential.clientOutage.end() }
    }

    func noteFetchFailed(
        _ slot: TokenSlot, _ failure: FetchFailure, _ now: ContinuousClock.Instant, _ random: Double
    ) {
        for record in holders[slot.key] ?? [] {
            guard let variant = record.variant else { continue }
            let credential = variant.credential
            if variant.request.areToBlame(for: failure.error) {
                credential.clientOutage.valueRefused(ObjectIdentifier(slot))
            } else {
                credential.clientOutage.fetchFailed(ObjectIdentifier(slot), failure, now: now, random: random)
            }
        }
    }

    /// The parameterised credentials one of whose values needs this token.
    private func credentials(of slot: TokenSlot) -> [CredentialRecord] {
        (holders[slot.key] ?? []).compactMap { $0.variant?.credential }
    }
}
