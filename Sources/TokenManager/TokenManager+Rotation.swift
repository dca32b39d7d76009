/// What happens when a token server gives another refresh token in place of the one that was sent (RFC 6749 section 6).
extension TokenManager {
    /// How long the end waits for a token server that has been sent a refresh token.
    static let rotationPatience: Duration = .seconds(5)

    /// Puts a refresh token into use and into its file, before the access token that came with it is used.
    func keep(_ refreshToken: SecretText?, of slot: TokenSlot) async {
        guard let refreshToken, let old = slot.secrets[.refreshToken], refreshToken != old else { return }
        // Nobody means the old one any more: somebody has put another one into the file, and that one counts.
        let records = holders[slot.key] ?? []
        var secrets = slot.secrets
        secrets[.refreshToken] = refreshToken
        rekey(slot, secrets)
        for record in records { record.secrets = secrets }
        for record in records { await writeBack(record) }
    }

    /// Tries again to write what could not be written, if it is time to.
    func retryWriting(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        guard case .failed(_, let retryAt) = record.writing, now >= retryAt else { return }
        startWriting(record)
    }

    /// Waits for the fetches that may bring another refresh token, but not for ever.
    func finish(_ rotations: [Task<Void, Never>]) async {
        guard !rotations.isEmpty else { return }
        let limit = startLimit(Self.rotationPatience, of: rotations)
        for rotation in rotations { await end(of: rotation) }
        limit.cancel()
    }

    /// Tries a last time to write what could not be written.
    func writeAtLast(_ record: CredentialRecord) async {
        guard case .failed = record.writing else { return }
        await writeBack(record)
    }

    /// Writes the refresh token in use to its file.
    func writeBack(_ record: CredentialRecord) async {
        guard case .grant(_, let places) = record.kind, case .file(let path)? = places[.refreshToken],
            let refreshToken = record.secrets?[.refreshToken]
        else { return }
        // Somebody has changed the file since it was read: the next look at it takes that one into use.
        if let found = try? secrets.read(.file(path: path)), SecretText(found) != record.lastRead?[.refreshToken] {
            record.writing = .done
            return
        }
        let known = record.writing.error
        record.writing = .underWay(after: known)
        do throws(TokenError) {
            try await writer.write(refreshToken.value, to: path)
            record.lastRead?[.refreshToken] = refreshToken
            record.writing = .done
        } catch {
            let error = record.named(error)
            record.writing = .failed(error, retryAt: clock.now + SecretWriting.pause)
            if known != error { observer?.fetchEnded(record.name, .failure(error)) }
        }
    }

    /// Another refresh token is another key; whoever meant the old one means the new one.
    private func rekey(_ slot: TokenSlot, _ secrets: SecretTexts) {
        let old = slot.key
        let key = TokenKey(grant: old.grant, secrets: secrets)
        guard slots.peek(old) === slot, slots.peek(key) == nil else {
            slot.replace(secrets, key: old)
            return
        }
        _ = slots.remove(old)
        slots.insert(slot, for: key)
        slot.replace(secrets, key: key)
        holders[key] = holders.removeValue(forKey: old)
        for record in holders[key] ?? [] { record.key = key }
    }
}
