import Locking
import TokenManager

/// Keeps everything that an observer hears.
final class RecordingObserver: TokenObserver {
    enum Event: Equatable {
        case header(String, String?)
        case fetched(String)
        case failed(String, TokenError.Kind)
    }

    private struct State {
        var events: [Event] = []
        var headers: [String: AuthorizationHeader] = [:]
        var valueHeaders: [String: AuthorizationHeader] = [:]
        var generations: [String: TokenGeneration] = [:]
        var failures: [FailedFetch] = []
        var recoveries: [FetchedToken.Recovery] = []
        var secretRecoveries: [Duration] = []
        var replacements: [String] = []
        var writtenCount = 0
        var whenFetched: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var events: [Event] { state.withLock { $0.events } }

    var failures: [FailedFetch] { state.withLock { $0.failures } }

    var recoveries: [FetchedToken.Recovery] { state.withLock { $0.recoveries } }

    /// For how long a file could not be used each time that one could be again.
    var secretRecoveries: [Duration] { state.withLock { $0.secretRecoveries } }

    func secretRecovered(_ name: String, after duration: Duration) {
        state.withLock { $0.secretRecoveries.append(duration) }
    }

    /// The files in which another process replaced a refresh token, oldest first.
    var replacements: [String] { state.withLock { $0.replacements } }

    func refreshTokenReplaced(_ name: String, in path: String) { state.withLock { $0.replacements.append(path) } }

    /// How often a refresh token got into its file after a failed write.
    var writtenCount: Int { state.withLock { $0.writtenCount } }

    func refreshTokenWritten(_ name: String) { state.withLock { $0.writtenCount += 1 } }

    /// What a worker would send now.
    func header(_ name: String) -> AuthorizationHeader? { state.withLock { $0.headers[name] } }

    /// By which a refusal names the newest token with this field value.
    func generation(of value: String) -> TokenGeneration { state.withLock { $0.generations[value] ?? .unissued } }

    /// What a worker would send now for each value of a parameterised credential.
    var valueHeaders: [String: AuthorizationHeader] { state.withLock { $0.valueHeaders } }

    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?) {
        state.withLock {
            $0.events.append(.header(name, header?.value))
            if let header { $0.generations[header.value] = header.generation }
            if let parameters {
                let value = parameters.host ?? parameters.bearerToken ?? parameters.fields.values.first ?? ""
                $0.valueHeaders[value] = header
            } else {
                $0.headers[name] = header
            }
        }
    }

    /// Does something as soon as the next fetch has ended.
    func whenFetched(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenFetched = action } }

    func fetchEnded(_ name: String, _ result: Result<FetchedToken, FailedFetch>) {
        let action = state.withLock { state in
            defer { state.whenFetched = nil }
            return state.whenFetched
        }
        action?()
        state.withLock {
            switch result {
            case .success(let token):
                $0.events.append(.fetched(name))
                if let recovery = token.recovery { $0.recoveries.append(recovery) }
            case .failure(let failure):
                $0.events.append(.failed(name, failure.error.kind))
                $0.failures.append(failure)
            }
        }
    }
}
