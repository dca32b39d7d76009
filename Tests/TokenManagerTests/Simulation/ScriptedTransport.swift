import Locking
import TokenManager

/// A token server under the test's hand: it keeps what was asked, and answers by a script or when it is told.
final class ScriptedTransport: TokenTransport {
    typealias Answer = Result<TokenResponse, TokenTransportError>

    struct Exchange: Sendable {
        let number: Int
        let request: TokenRequest
        let startedAt: ContinuousClock.Instant
        let wasOnLoop: Bool
    }

    private struct State {
        var script: (@Sendable (Exchange) -> Answer?)?
        var exchanges: [Exchange] = []
        var open: [Int: CheckedContinuation<Answer, Never>] = [:]
        var cancelled: Set<Int> = []
    }

    private let clock: ManualClock
    private let loop: TestLoop
    private let state = Locked(State())

    init(clock: ManualClock, loop: TestLoop) {
        self.clock = clock
        self.loop = loop
    }

    /// Everything that was asked, oldest first.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// What has not been answered yet, oldest first.
    var open: [Exchange] { state.withLock { state in state.open.keys.sorted().map { state.exchanges[$0] } } }

    /// Answers at once from now on, where the script gives an answer.
    func script(_ script: (@Sendable (Exchange) -> Answer?)?) {
        state.withLock { $0.script = script }
    }

    /// Answers one exchange.
    func answer(_ number: Int, _ answer: Answer) {
        state.withLock { $0.open.removeValue(forKey: number) }?.resume(returning: answer)
    }

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        let exchange = state.withLock { state in
            let exchange = Exchange(
                number: state.exchanges.count, request: request, startedAt: clock.now, wasOnLoop: loop.isRunning)
            state.exchanges.append(exchange)
            return exchange
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { state -> Answer? in
                    if state.cancelled.contains(exchange.number) {
                        return .failure(TokenTransportError(message: "cancelled"))
                    }
                    if let answer = state.script?(exchange) { return answer }
                    state.open[exchange.number] = continuation
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(exchange.number)
                return state.open.removeValue(forKey: exchange.number)
            }
            continuation?.resume(returning: .failure(TokenTransportError(message: "cancelled")))
        }
        return try answer.get()
    }
}
