import Signing

extension TokenManager {
    /// One fetch: the endpoint, the request, the answer.
    func fetch(_ slot: TokenSlot) async -> Result<TokenAnswer.Grant, FetchFailure> {
        let grant = slot.key.grant
        do throws(FetchFailure) {
            let place = try await place(of: grant)
            let url = place.url
            // A stop that came while metadata was read waits for no answer that spends a refresh token.
            guard !isStopped else { throw FetchFailure(error: stopError, isLocal: true) }
            var prepared = try prepare(slot, for: place)
            var sent = clock.now
            var result = await exchange(prepared.request)
            if prepared.proofKey != nil, noteNonce(in: result, from: url), !isStopped {
                prepared = try prepare(slot, for: place)
                sent = clock.now
                result = await exchange(prepared.request)
                _ = noteNonce(in: result, from: url)
            }
            let reader = TokenAnswer(
                from: url, to: grant, hiding: prepared.hidden, boundTo: prepared.proofKey)
            do throws(FetchFailure) {
                let granted = try read(result, of: sent, by: reader)
                noteEndpoint(of: grant, nil)
                return .success(granted)
            } catch {
                noteEndpoint(of: grant, error)
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    private func prepare(_ slot: TokenSlot, for place: TokenPlace) throws(FetchFailure) -> TokenGrant.Prepared {
        let moment = SigningMoment(
            unixTime: clock.unixTime, nonce: nonce(of: place.url), audience: place.audience)
        do throws(TokenError) {
            return try slot.key.grant.prepared(for: place.url, slot.secrets, moment)
        } catch {
            throw FetchFailure(error: error, isDefinitive: true)
        }
    }

    private func read(
        _ result: Result<TokenResponse, TokenTransportError>, of sent: ContinuousClock.Instant, by reader: TokenAnswer
    ) throws(FetchFailure) -> TokenAnswer.Grant {
        switch result {
        case .success(let response):
            return try reader.read(
                response, sent: sent, received: clock.now, unixTime: clock.unixTime, random: randomFraction())
        case .failure(let error): throw reader.unreachable(error)
        }
    }
}
