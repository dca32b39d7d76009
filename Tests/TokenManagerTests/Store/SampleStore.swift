import Testing

@testable import TokenManager

/// A store with what its owner would do written down, instead of done.
final class SampleStore {
    var store: TokenStore

    init(capacity: Int = 10) { store = TokenStore(capacity: capacity) }

    /// A configured credential with a secret; equal secrets are one key.
    func holder(_ name: String, secret: String = "s", at seconds: Double = 0) throws -> TokenHolder {
        let holder = TokenHolder(name)
        _ = try read(secret, of: holder, at: seconds)
        return holder
    }

    /// A value of a parameterised credential.
    func value(
        _ host: String, of variants: CredentialVariants, at seconds: Double = 0
    ) throws -> TokenHolder {
        let request = RequestParameters(host: host)
        let variant = try variants.variant(for: request, Sample.at(seconds), unixTime: 0)
        let holder = variants.keep(variant)
        _ = store.secretsRead(
            SecretTexts([.clientSecret: SecretText("s")]), of: holder, variant.grant, Sample.at(seconds))
        return holder
    }

    func entry(of holder: TokenHolder) -> StoredEntry? { store.entry(of: holder) }

    private func use(_ holder: TokenHolder) -> StoredEntry? { store.useEntry(of: holder) }

    func read(_ secret: String, of holder: TokenHolder, at seconds: Double) throws -> [String] {
        let texts = SecretTexts([.clientSecret: SecretText(secret)])
        return Self.words(store.secretsRead(texts, of: holder, try Self.grant(), Sample.at(seconds)))
    }

    func ask(_ holder: TokenHolder, _ number: Int, at seconds: Double) throws -> [String] {
        let entry = try #require(self.use(holder))
        let (caller, actions) = store.acquire(entry, WaiterID(number), Sample.at(seconds))
        switch caller {
        case .token(let token): return ["serve \(token.value)"] + Self.words(actions)
        case .failed(let error): return ["fail \(error.kind)"] + Self.words(actions)
        case .parked: return ["park"] + Self.words(actions)
        }
    }

    func succeed(_ holder: TokenHolder, _ value: String, at seconds: Double) throws -> [String] {
        let entry = try #require(self.entry(of: holder))
        let now = Sample.at(seconds)
        let token = AccessToken(value: value, life: .seconds(100), sent: now, received: now, random: 0)
        return Self.words(store.fetchSucceeded(entry, token, now))
    }

    func fail(
        _ holder: TokenHolder, _ failure: FetchFailure = Sample.failure, at seconds: Double
    ) throws -> [String] {
        let entry = try #require(self.entry(of: holder))
        return Self.words(store.fetchFailed(entry, failure, Sample.at(seconds), random: 0.5))
    }

    func fireTimer(_ holder: TokenHolder, at seconds: Double) throws -> [String] {
        Self.words(store.timerFired(try #require(self.entry(of: holder)), Sample.at(seconds)))
    }

    func refuse(_ holder: TokenHolder, _ generation: TokenGeneration, at seconds: Double) throws -> [String] {
        let entry = try #require(self.entry(of: holder))
        return Self.words(store.refused(generation, of: entry, Sample.at(seconds)))
    }

    /// The generation of the token that is served to a holder.
    func generation(_ holder: TokenHolder) throws -> TokenGeneration {
        let entry = try #require(self.entry(of: holder))
        let token = entry.machine.token
        return try #require(token).generation
    }

    static func grant() throws -> TokenGrant {
        TokenGrant(try #require(GrantDraft(try CredentialConfiguration.client().source)))
    }

    /// The values of a credential whose scope is the request's host.
    static func variants(_ name: String = "p") throws -> CredentialVariants {
        let configuration = try CredentialConfiguration.client(name, scope: "{host}")
        return try #require(CredentialVariants(configuration, CredentialKind(configuration)))
    }

    /// The actions as words, so that a test reads as what happens; instants are seconds after the start.
    private static func words(_ actions: [TokenStore.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .fetch: "fetch"
            case .publish(let holder, let token): "publish \(holder.name) \(token.value)"
            case .withdraw(let holder): "withdraw \(holder.name)"
            case .answer(let waiters, .token(let token)): "answer \(waiters.map(\.number)) \(token.value)"
            case .answer(let waiters, .failed): "answer \(waiters.map(\.number)) error"
            case .reportFetched(let holder, let token): "fetched \(holder.name) \(token.value)"
            case .reportFailed(let holder, _, _): "failed \(holder.name)"
            case .reportRefusedRequest(let holder): "refused request \(holder.name)"
            case .share(let holder, let other): "share \(holder.name) \(other.name)"
            case .wake(_, let instant):
                instant.map { "wake \(Int((($0 - Sample.start) / .seconds(1)).rounded()))" } ?? "wake never"
            }
        }
    }
}
