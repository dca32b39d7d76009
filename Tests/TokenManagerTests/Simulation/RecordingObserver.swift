import Synchronization
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
        var whenFetched: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var events: [Event] { state.withLock { $0.events } }

    /// What a worker would send now.
    func header(_ name: String) -> AuthorizationHeader? { state.withLock { $0.headers[name] } }

    /// What a worker would send now for each value of a parameterised credential.
    var valueHeaders: [String: AuthorizationHeader] { state.withLock { $0.valueHeaders } }

    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?) {
        state.withLock {
            $0.events.append(.header(name, header?.value))
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

    func fetchEnded(_ name: String, _ result: Result<FetchedToken, TokenError>) {
        let action = state.withLock { state in
            defer { state.whenFetched = nil }
            return state.whenFetched
        }
        action?()
        state.withLock {
            switch result {
            case .success: $0.events.append(.fetched(name))
            case .failure(let error): $0.events.append(.failed(name, error.kind))
            }
        }
    }
}
