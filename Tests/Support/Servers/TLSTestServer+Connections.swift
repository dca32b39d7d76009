/// The connections of a test server, each with its thread.
///
/// Any thread.
final class TLSTestServerConnections: Sendable {
    private struct State {
        var threads: [BackgroundThread] = []
        var open: [ObjectIdentifier: TLSTestStream] = [:]
        var count = 0
        var handshakeErrors: [String] = []
        var isStopped = false
    }

    private let gate: Gate?
    private let serve: @Sendable (TLSTestStream) -> Void
    private let state = Monitor(State())

    init(_ gate: Gate?, _ serve: @escaping @Sendable (TLSTestStream) -> Void) {
        self.gate = gate
        self.serve = serve
    }

    var count: Int { state.access { $0.count } }

    var handshakeErrors: [String] { state.access { $0.handshakeErrors } }

    /// False if it was called before.
    func refuseMore() -> Bool {
        state.access { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
    }

    func open(_ stream: TLSTestStream) {
        let isWelcome = state.access { state in
            guard !state.isStopped else { return false }
            state.count += 1
            state.open[ObjectIdentifier(stream)] = stream
            return true
        }
        guard isWelcome else { return stream.close() }
        let thread = BackgroundThread("of a test server's connection") { [self] in
            try? gate?.wait()
            if let error = stream.handshake() {
                state.access { $0.handshakeErrors.append(error) }
            } else {
                serve(stream)
            }
            state.access { _ = $0.open.removeValue(forKey: ObjectIdentifier(stream)) }
            stream.close()
        }
        state.access { $0.threads.append(thread) }
    }

    func interruptAll() {
        for stream in state.access({ Array($0.open.values) }) { stream.interrupt() }
    }

    func waitUntilIdle() {
        let threads = state.access { state in
            defer { state.threads = [] }
            return state.threads
        }
        for thread in threads { try? thread.join() }
    }
}
