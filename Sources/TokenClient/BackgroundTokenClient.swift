import EventTransport
public import TokenManager

/// Carries token requests on a thread of its own: the default transport and clock of a `TokenManager`.
///
/// ```swift
/// let client = try BackgroundTokenClient()
/// let tokens = TokenManager(credentials: [credential], transport: client, clock: client)
/// ```
///
/// It speaks HTTP/1.1, over TLS 1.2 or later where the address says `https`, to any number of token servers at once.
/// Chain and name of their certificates are always verified, by the system's authorities or by those of
/// `TLSSettings`; no redirect is followed, and an answer is at most 1 MiB long. Its methods may be called from
/// anywhere. The thread ends with the last reference, which a manager that was started gives up when it is stopped.
public final class BackgroundTokenClient: TokenTransport, TokenClock {
    private let thread: LoopThread
    private let client: LoopTokenClient
    private let clock: LoopClock

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - connectTimeout: To find, reach and verify a token server: name, TCP and TLS together.
    ///   - answerTimeout: From then to the end of its answer.
    /// - Throws: `TokenTransportError` if the system gives no thread or descriptor.
    public init(
        connectTimeout: Duration = .seconds(5), answerTimeout: Duration = .seconds(30)
    ) throws(TokenTransportError) {
        do throws(TransportError) {
            thread = try EventLoop.startThread(name: "token-client") { _ in Signals.blockFailedWrites() }
        } catch {
            throw TokenTransportError(error)
        }
        client = LoopTokenClient(loop: thread.loop, connectTimeout: connectTimeout, answerTimeout: answerTimeout)
        clock = LoopClock(loop: thread.loop)
    }

    deinit {
        // Whoever waits for an answer or sleeps holds a reference, so nobody is left behind.
        thread.loop.stop()
        thread.join()
    }

    /// Sends one request and receives the whole answer.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TokenTransportError` if there was no complete answer in time, or the task was cancelled.
    public func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        try await client.exchange(request)
    }

    /// The monotonic time.
    public var now: ContinuousClock.Instant { clock.now }

    /// Suspends until an instant; it throws when the task is cancelled.
    ///
    /// - Parameter deadline: The instant to wait for.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await clock.sleep(until: deadline)
    }
}
