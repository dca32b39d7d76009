import EventTransport
import ProxyCore
import TokenManager

/// The finished field line of every credential, as one worker holds it: reading one takes no lock and makes nothing.
///
/// Confined to the worker's loop; the token manager's news come by `update`.
final class CredentialTable {
    private struct Slot {
        var line: AuthorizationLine
        var usableUntil: MonotonicInstant
    }

    private let names: [String]
    private var slots: [Slot?]
    private let tokens: TokenManager
    private let tokenLoop: EventLoop
    private let loop: EventLoop

    /// Empty until the token manager tells of a token.
    ///
    /// - Parameters:
    ///   - names: the credentials, in the order of the indices that requests use.
    ///   - tokens: is asked where there is no token to use.
    ///   - tokenLoop: the loop that the token manager runs on.
    ///   - loop: the worker's.
    init(names: [String], tokens: TokenManager, tokenLoop: EventLoop, loop: EventLoop) {
        self.names = names
        self.tokens = tokens
        self.tokenLoop = tokenLoop
        self.loop = loop
        slots = Array(repeating: nil, count: names.count)
    }

    func index(of name: String) -> Int? { names.firstIndex(of: name) }

    func name(of index: Int) -> String { names[index] }

    /// The line to attach, or nil where none may be used at that time.
    func line(_ index: Int, at now: MonotonicInstant) -> AuthorizationLine? {
        guard let slot = slots[index], now < slot.usableUntil else { return nil }
        return slot.line
    }

    func update(_ index: Int, _ header: AuthorizationHeader?) {
        slots[index] = header.map {
            Slot(line: AuthorizationLine(name: $0.name, value: $0.value), usableUntil: MonotonicInstant($0.usableUntil))
        }
    }

    /// Asks the token manager, which fetches at most once for all who wait; `done` is called on this worker's loop.
    func acquire(_ index: Int, _ done: @escaping (Result<AuthorizationLine, ProxyError>) -> Void) {
        let answer = LoopBound({ [self] result in finish(index, result, done) }, loop: loop)
        let (tokens, loop, name) = (tokens, loop, names[index])
        Task(executorPreference: tokenLoop) {
            let result: Result<AuthorizationHeader, TokenError>
            do throws(TokenError) {
                result = .success(try await tokens.authorizationHeader(for: name))
            } catch {
                result = .failure(error)
            }
            loop.execute { answer.value(result) }
        }
    }

    private func finish(
        _ index: Int, _ result: Result<AuthorizationHeader, TokenError>,
        _ done: (Result<AuthorizationLine, ProxyError>) -> Void
    ) {
        switch result {
        case .success(let header):
            update(index, header)
            done(.success(AuthorizationLine(name: header.name, value: header.value)))
        case .failure(let error): done(.failure(ProxyError(error)))
        }
    }
}

extension ProxyError {
    /// Why no token could be had, for the app whose request waited for it.
    fileprivate init(_ error: TokenError) {
        let seconds = error.retryAfter.map { max(1, Int($0.components.seconds)) } ?? 1
        self.init(.credentialUnavailable, error.description, retryAfter: seconds)
    }
}
