import EventTransport

/// Until when an app's connection must have got on: the one owner of its stream's deadline.
///
/// Pure: it is told what has moved, and when. In each direction somebody has to move next and is given a while, and what
/// moves nothing buys no more of it: a head has its time as a whole, a request's body must bring its next KiB or its end in
/// time, a backend its final head, whatever else it sends meanwhile. Who has to take what is queued is given as long again
/// if it has taken any of it.
struct DownstreamDeadline {
    /// In which direction bytes go.
    enum Direction {
        case request
        case response
    }

    private struct Wait {
        var due = DownstreamDeadline.past
        /// What the receiver had yet to take when it was last looked at, where it is the receiver that has to move.
        var untaken: Int?
        var patience: Int64 = 0
    }

    /// A body that comes more slowly than this in every `bodyTimeout` keeps a connection for nothing.
    static let bodyPiece: UInt64 = 1024
    /// Before anything: nobody has to move.
    private static let past = MonotonicInstant(nanoseconds: .min)

    private let timeouts: Timeouts
    private var request = Wait()
    private var response = Wait()
    /// How much of the body had come when the time for its next piece began; nil where none is waited for.
    private var bodyByteCount: UInt64?

    init(_ timeouts: Timeouts) { self.timeouts = timeouts }

    /// The stream's deadline; the distant future where there is none.
    var instant: MonotonicInstant { max(request.due, response.due) }

    // MARK: - Between exchanges

    /// The app may send a request or not, and has yet to take so much of the responses before.
    mutating func becameIdle(untaken: Int, at now: MonotonicInstant) {
        response = untaken > 0 ? wait(for: untaken, timeouts.idle, now) : Wait()
        wait(request: now, timeouts.idle)
    }

    /// The first byte of a head has come.
    mutating func headBegan(at now: MonotonicInstant) {
        response = Wait()
        wait(request: now, timeouts.head)
    }

    private mutating func wait(request now: MonotonicInstant, _ patience: Int64) {
        request = Wait(due: now.advanced(byNanoseconds: patience))
        bodyByteCount = nil
    }

    // MARK: - The request

    mutating func exchangeBegan() {
        response = Wait()
        bodyByteCount = nil
    }

    /// The first, or another one after a refusal that the app has not seen.
    mutating func credentialAwaited(at now: MonotonicInstant) {
        response = Wait()
        wait(request: now, timeouts.acquire)
    }

    /// The connector keeps the time.
    mutating func connectionAwaited() {
        request = Wait(due: .distantFuture)
        bodyByteCount = nil
    }

    /// The request went on, and the backend has room for more of it.
    ///
    /// - Parameters:
    ///   - received: how much of the body has come so far.
    ///   - isComplete: whether that is all.
    ///   - isAnswered: whether the final response has begun.
    ///   - limits: how long the backend may take.
    ///   - now: when it went on.
    mutating func requestMoved(
        received: UInt64, isComplete: Bool, isAnswered: Bool, within limits: BackendTimeouts, at now: MonotonicInstant
    ) {
        guard !isComplete else { return requestLeft(isAnswered: isAnswered, limits, at: now) }
        if let bodyByteCount, received - bodyByteCount < Self.bodyPiece { return }
        wait(request: now, timeouts.body)
        bodyByteCount = received
    }

    /// The backend has no room for more of the request.
    mutating func requestBlocked(untaken: Int, within limits: BackendTimeouts, at now: MonotonicInstant) {
        request = wait(for: untaken, limits.response.nanoseconds, now)
        bodyByteCount = nil
    }

    /// From here on the backend has its time for the whole of its final head.
    private mutating func requestLeft(isAnswered: Bool, _ limits: BackendTimeouts, at now: MonotonicInstant) {
        request = Wait()
        bodyByteCount = nil
        if !isAnswered { response = Wait(due: now.advanced(byNanoseconds: limits.response.nanoseconds)) }
    }

    // MARK: - The response

    /// The final response went on, and the app has room for more of it, or has taken all there was.
    mutating func responseMoved(within limits: BackendTimeouts, at now: MonotonicInstant) {
        response = Wait(due: now.advanced(byNanoseconds: limits.streamIdle.nanoseconds))
    }

    /// The app has no room for more.
    mutating func responseBlocked(untaken: Int, at now: MonotonicInstant) {
        response = wait(for: untaken, timeouts.idle, now)
    }

    private func wait(for untaken: Int, _ patience: Int64, _ now: MonotonicInstant) -> Wait {
        Wait(due: now.advanced(byNanoseconds: patience), untaken: untaken, patience: patience)
    }

    // MARK: - The end

    /// Who has to move next once a response has begun; where both directions wait, the one that has more time.
    enum Awaited {
        case appReading
        case appSending
        case backendReading
        case backendSending
    }

    var awaited: Awaited {
        if request.due > response.due { return request.untaken == nil ? .appSending : .backendReading }
        return response.untaken == nil ? .backendSending : .appReading
    }

    /// The instant has come.
    ///
    /// - Parameters:
    ///   - now: at which time.
    ///   - untaken: what the receiver in a direction has yet to take.
    /// - Returns: whether that is the end; otherwise there is a new instant.
    mutating func isOver(at now: MonotonicInstant, untaken: (Direction) -> Int) -> Bool {
        Self.look(&request, now) { untaken(.request) }
        Self.look(&response, now) { untaken(.response) }
        return now >= instant
    }

    private static func look(_ wait: inout Wait, _ now: MonotonicInstant, _ untaken: () -> Int) {
        guard let before = wait.untaken, now >= wait.due else { return }
        let left = untaken()
        wait.untaken = left
        if left < before { wait.due = now.advanced(byNanoseconds: wait.patience) }
    }
}
