import EventTransport
public import TokenManager

/// Sends token requests on a thread of its own: the default transport and clock of a `TokenManager`.
///
/// ```swift
/// let client = try BackgroundTokenClient()
/// let tokens = TokenManager(credentials: [credential], transport: client, clock: client)
/// ```
///
/// It speaks HTTP/1.1, with TLS 1.2 or later if the address is `https`, to any number of token servers at once. It
/// always verifies chain and name of their certificates, with the system's authorities or those of `TLSSettings`. It
/// follows no redirect, and accepts responses of at most 1 MiB. Its methods may be called from any thread. The thread
/// ends with the last reference; a started manager releases its own when it is stopped.
public final class BackgroundTokenClient: TokenTransport, TokenClock {
    private let thread: LoopThread
    private let client: LoopTokenClient
    private let clock: LoopClock

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - connectTimeout: The time for name resolution, TCP and TLS together.
    ///   - answerTimeout: The time from then to the end of the response.
    /// - Throws: `TokenTransportError` if the system has no thread or descriptor left.
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
        // A caller that waits for a response or sleeps holds a reference, so none is left waiting.
        thread.loop.stop()
        thread.join()
    }

    /// Sends one request and receives the whole response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: `TokenTransportError` if there was no complete response in time, or the task was cancelled.
    public func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        try await client.exchange(request)
    }

    /// The monotonic time.
    public var now: ContinuousClock.Instant { clock.now }

    /// Suspends until an instant; throws if the task is cancelled.
    ///
    /// - Parameter deadline: The instant to wait for.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await clock.sleep(until: deadline)
    }
}
