import Signing

extension TokenManager {
    /// One fetch: the endpoint, the request, the response.
    func fetch(_ entry: StoredEntry) async -> Result<TokenAnswer.Grant, FetchFailure> {
        let grant = entry.key.grant
        if case .signature(let template) = grant.exchange { return sign(template, entry.secrets) }
        do throws(FetchFailure) {
            let place = try await place(of: grant)
            let url = place.url
            var attempt = try await send(entry, to: place)
            var result = await exchange(attempt.prepared.request)
            if attempt.prepared.proofKey != nil, nonces.answered(result, from: url), !isStopped {
                attempt = try await send(entry, to: place)
                result = await exchange(attempt.prepared.request)
                _ = nonces.answered(result, from: url)
            }
            let reader = TokenAnswer(
                from: url, to: grant, hiding: attempt.prepared.hidden, boundTo: attempt.prepared.proofKey)
            do throws(FetchFailure) {
                let granted = try read(result, of: attempt.sent, by: reader)
                discovery.endpointEnded(of: grant, nil)
                return .success(granted)
            } catch {
                discovery.endpointEnded(of: grant, error)
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// The token that no server issues.
    private func sign(
        _ template: AssertionTemplate, _ secrets: SecretTexts
    ) -> Result<TokenAnswer.Grant, FetchFailure> {
        let now = clock.now
        do throws(TokenError) {
            let token = try template.signed(for: nil, secrets, SigningMoment(unixTime: clock.unixTime))
            // The signature's time is cut to whole seconds.
            let life = max(template.validity - .seconds(1), AccessToken.shortestLife)
            return .success(
                TokenAnswer.Grant(
                    token: AccessToken(value: token, life: life, sent: now, received: now, random: randomFraction()),
                    refreshToken: nil))
        } catch {
            return .failure(FetchFailure(error: error, isDefinitive: true))
        }
    }

    /// A request that is ready to be sent.
    private struct Attempt {
        let prepared: TokenGrant.Prepared
        let sent: ContinuousClock.Instant
    }

    /// Prepares the request as the last step before it is sent.
    private func send(_ entry: StoredEntry, to place: TokenPlace) async throws(FetchFailure) -> Attempt {
        store.refreshTokenSent(entry, false)
        repeat {
            try await awaitReplacement(of: entry)
            try await confirmRefreshToken(of: entry)
        } while isHeld(entry)
        // After a stop during a read of metadata or a file, no request may be sent that spends a refresh token.
        guard !isStopped else { throw FetchFailure(error: stopError, isLocal: true) }
        let attempt = Attempt(prepared: try prepare(entry, for: place), sent: clock.now)
        store.refreshTokenSent(entry, true)
        return attempt
    }

    private func prepare(_ entry: StoredEntry, for place: TokenPlace) throws(FetchFailure) -> TokenGrant.Prepared {
        let moment = SigningMoment(
            unixTime: clock.unixTime, nonce: nonces[place.url], audience: place.audience)
        do throws(TokenError) {
            return try entry.key.grant.prepared(for: place.url, entry.secrets, moment)
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
