import Synchronization
import TokenManager

/// Files and environment variables that exist only here.
final class FakeSecrets: SecretReader {
    private let state = Mutex<(files: [String: String], environment: [String: String], reads: Int)>(([:], [:], 0))

    var readCount: Int { state.withLock { $0.reads } }

    func setFile(_ path: String, _ text: String?) { state.withLock { $0.files[path] = text } }

    func setEnvironment(_ name: String, _ text: String?) { state.withLock { $0.environment[name] = text } }

    func read(_ secret: Secret) throws(TokenError) -> String {
        let text = state.withLock { state -> String? in
            state.reads += 1
            switch secret {
            case .literal(let value): return value
            case .file(let path): return state.files[path]
            case .environment(let name): return state.environment[name]
            }
        }
        guard let text, !text.isEmpty else {
            throw TokenError(kind: .secretUnreadable, message: "\(secret) cannot be read: create it")
        }
        return text
    }
}
