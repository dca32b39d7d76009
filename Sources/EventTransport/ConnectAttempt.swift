package final class ConnectAttempt {
    init() {}
    package func cancel() { fatalError("stub") }
}
