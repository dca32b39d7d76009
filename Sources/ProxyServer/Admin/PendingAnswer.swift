import EventTransport

/// The answer to a request that begins something slow: its result, or another response if that takes longer than `timeout`.
///
/// Confined to the loop. It answers once.
final class PendingAnswer {
    /// Less than the time after which the listener closes a connection that waits for an answer.
    static let timeout: Duration = .seconds(25)

    private var answer: EmbeddedServer.Answer?
    private var timer: Timer?

    /// - Parameters:
    ///   - answer: Takes the response.
    ///   - loop: The loop.
    ///   - late: Makes the response after the timeout.
    init(_ answer: @escaping EmbeddedServer.Answer, on loop: EventLoop, late: @escaping () -> EmbeddedServer.Response) {
        self.answer = answer
        let timer = Timer(loop: loop) { [weak self] in self?.give(late()) }
        timer.schedule(after: Self.timeout)
        self.timer = timer
    }

    /// Answers, unless the timeout has passed.
    func give(_ response: EmbeddedServer.Response) {
        timer?.cancel()
        answer.take()?(response)
    }
}
