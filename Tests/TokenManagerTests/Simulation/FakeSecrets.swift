import Locking
import TokenManager

/// Files and environment variables that exist only here; a file may be read-only.
final class FakeSecrets: SecretReader, SecretWriter {
    private struct State {
        var files: [String: String] = [:]
        var environment: [String: String] = [:]
        var reads = 0
        var writes: [String] = []
        var isReadOnly = false
        var isUnsafe = false
        var isSlow = false
        var hanging: Set<String> = []
        var readings: [CheckedContinuation<Void, Never>] = []
        var writing: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// What was written, oldest first.
    var writes: [String] { state.withLock { $0.writes } }

    func setReadOnly(_ isReadOnly: Bool) { state.withLock { $0.isReadOnly = isReadOnly } }

    /// From now on what is written is there, but nobody can say that it will be after a loss of power.
    func setUnsafe() { state.withLock { $0.isUnsafe = true } }

    /// From now on a writing waits until it is told to go on.
    func setSlow() { state.withLock { $0.isSlow = true } }

    /// The writing that waits goes on.
    func finishWriting() {
        state.withLock { state in
            defer { state.writing = nil }
            return state.writing
        }?.resume()
    }

    func write(_ text: String, to path: String) async throws(TokenError) {
        await waitForDisk()
        try replace(path, by: text)
    }

    private func waitForDisk() async {
        await withCheckedContinuation { continuation in
            let isSlow = state.withLock { state in
                precondition(state.writing == nil, "two writings of one file at once")
                if state.isSlow { state.writing = continuation }
                return state.isSlow
            }
            if !isSlow { continuation.resume() }
        }
    }

    private func replace(_ path: String, by text: String) throws(TokenError) {
        let isSafe = state.withLock { state in
            guard !state.isReadOnly else { return false }
            state.files[path] = text
            state.writes.append(text)
            return !state.isUnsafe
        }
        guard isSafe else {
            throw TokenError(kind: .secretUnwritable, message: "\(path) cannot be written: make it writable")
        }
    }

    var readCount: Int { state.withLock { $0.reads } }

    func setFile(_ path: String, _ text: String?) { state.withLock { $0.files[path] = text } }

    func setEnvironment(_ name: String, _ text: String?) { state.withLock { $0.environment[name] = text } }

    /// From now on a reading of this file waits, and then gives what was there when it began.
    func hang(_ path: String) { state.withLock { _ = $0.hanging.insert(path) } }

    /// No file hangs any more, and every reading goes on.
    func resumeReading() {
        let readings = state.withLock { state in
            defer { (state.readings, state.hanging) = ([], []) }
            return state.readings
        }
        for reading in readings { reading.resume() }
    }

    func read(_ secret: Secret) async throws(TokenError) -> String {
        let text = look(at: secret)
        if case .file(let path) = secret, state.withLock({ $0.hanging.contains(path) }) {
            await withCheckedContinuation { reading in state.withLock { $0.readings.append(reading) } }
        }
        guard let text, !text.isEmpty else {
            throw TokenError(kind: .secretUnreadable, message: "\(secret) cannot be read: create it")
        }
        return text
    }

    private func look(at secret: Secret) -> String? {
        state.withLock { state in
            state.reads += 1
            switch secret {
            case .literal(let value): return value
            case .file(let path): return state.files[path]
            case .environment(let name): return state.environment[name]
            }
        }
    }
}
