import TokenManager

/// A copyable picture of a `TokenEntry`, so that tests can name a state and compare with it.
enum EntryState: Equatable, Sendable {
    case empty
    case fetching([Int], Outage? = nil, fallback: AccessToken? = nil)
    case fresh(AccessToken, Outage? = nil)
    case refreshing(AccessToken, Outage? = nil)
    case failed(Outage)

    /// A machine in this state.
    var entry: TokenEntry {
        switch self {
        case .empty: .empty
        case .fetching(let waiters, let outage, let fallback):
            .fetching(waiters: waiters.map { WaiterID($0) }, outage: outage, fallback: fallback)
        case .fresh(let token, let outage): .fresh(token, outage: outage)
        case .refreshing(let token, let outage): .refreshing(token, outage: outage)
        case .failed(let outage): .failed(outage)
        }
    }

    init(_ entry: borrowing TokenEntry) {
        switch entry {
        case .empty: self = .empty
        case .fetching(let waiters, let outage, let fallback):
            self = .fetching(waiters.map(\.number), outage, fallback: fallback)
        case .fresh(let token, let outage): self = .fresh(token, outage)
        case .refreshing(let token, let outage): self = .refreshing(token, outage)
        case .failed(let outage): self = .failed(outage)
        }
    }
}

/// Instants, tokens and failures that the tables of states share.
enum Sample {
    static let start = ContinuousClock.now
    static let error = TokenError(kind: .tokenServerUnreachable, message: "unreachable")
    static let failure = FetchFailure(error: error)
    /// Received at the start, 100 s: refreshed at 80 s, hard end at 95 s.
    static let token = AccessToken(value: "old", life: .seconds(100), sent: start, received: start, random: 0)
    /// Received at 90 s.
    static let newer = AccessToken(value: "new", life: .seconds(100), sent: at(90), received: at(90), random: 0)

    static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    static func outage(_ failures: Int = 1, until seconds: Double) -> Outage {
        Outage(error: error, failures: failures, retryAt: at(seconds))
    }

    static func waiters(_ numbers: Int...) -> [WaiterID] { numbers.map { WaiterID($0) } }
}
