import EventTransport

/// Computes when an app's connection, or the exchange on it, times out; the only owner of that stream's deadline.
///
/// Pure: the caller reports progress, and when. In each direction one side has to make progress within a timeout, and
/// only progress extends it. A head has one timeout as a whole. A request's body must bring its next KiB or its end
/// in time, and a backend its final head, whatever else it sends meanwhile. A receiver that has taken any of the
/// queued bytes gets the same timeout again.
struct DownstreamDeadline {
    private struct Wait {
        var due: MonotonicInstant
        // 32-bit numbers and no optional, because every connection has two of these.
        /// The number of bytes that the receiver has yet to take; negative if the sender has to make progress.
        private var untakenCount = Self.untilDue
        /// The receiver's timeout in milliseconds; for a piece of a body, the low 32 bits of the number of bytes before it.
        private var number: UInt32 = 0

        /// The sender has until `due`, whatever it sends meanwhile.
        private static let untilDue: Int32 = -1
        /// The sender has until `due` for the next piece of a body.
        private static let untilPiece: Int32 = -2

        init(due: MonotonicInstant = DownstreamDeadline.past) { self.due = due }

        init(due: MonotonicInstant, untaken: Int, patience: Int64) {
            self.due = due
            untakenCount = Int32(clamping: untaken)
            number = UInt32(clamping: (patience - 1) / 1_000_000 + 1)
        }

        init(due: MonotonicInstant, pieceAfter received: UInt64) {
            self.due = due
            untakenCount = Self.untilPiece
            number = UInt32(truncatingIfNeeded: received)
        }

        /// Whether the sender of a body has yet to complete the piece that is awaited, after `received` bytes of it.
        func lacksPiece(_ received: UInt64) -> Bool {
            untakenCount == Self.untilPiece
                && UInt32(truncatingIfNeeded: received) &- number < DownstreamDeadline.bodyPiece
        }

        /// How long the receiver gets again once it has taken something, in nanoseconds: whole milliseconds, up to 49
        /// days.
        var patience: Int64 { Int64(number) * 1_000_000 }

        /// The number of bytes that the receiver had not taken at the last check; nil if the sender has to make
        /// progress.
        var untaken: Int? { untakenCount < 0 ? nil : Int(untakenCount) }

        /// The receiver is checked again, at `due`.
        mutating func checked(untaken: Int) { untakenCount = Int32(clamping: untaken) }
    }

    /// A body must bring this many bytes in each `bodyTimeout`; a slower one would occupy a connection for nothing.
    static let bodyPiece: UInt32 = 1024
    /// Before every instant: no side has to make progress.
    private static let past = MonotonicInstant(nanoseconds: .min)

    /// The timeouts of what begins from now on.
    var timeouts: Timeouts
    private var request = Wait()
    private var response = Wait()

    init(_ timeouts: Timeouts) { self.timeouts = timeouts }

    /// The stream's deadline; the distant future if it has none.
    var instant: MonotonicInstant { max(request.due, response.due) }

    // MARK: - Between exchanges

    /// The app may send a request or not, and has yet to take `untaken` bytes of earlier responses.
    mutating func becameIdle(untaken: Int, at now: MonotonicInstant) {
        response = untaken > 0 ? wait(for: untaken, timeouts.idle, now) : Wait()
        wait(request: now, timeouts.idle)
    }

    /// The first byte of a head has arrived.
    mutating func headBegan(at now: MonotonicInstant) {
        response = Wait()
        wait(request: now, timeouts.head)
    }

    /// Whether `becameIdle` was called at most `nanoseconds` before.
    ///
    /// Only for an idle connection. If a reload has changed `timeouts.idle` since then, the answer may be wrong.
    func hasJustBecomeIdle(within nanoseconds: Int64, at now: MonotonicInstant) -> Bool {
        request.due >= now.advanced(byNanoseconds: timeouts.idle - nanoseconds)
    }

    /// A drain waits so many nanoseconds for the rest of a request, or for one that may be on its way.
    mutating func lastRequestAwaited(for nanoseconds: Int64, at now: MonotonicInstant) {
        response = Wait()
        wait(request: now, nanoseconds)
    }

    private mutating func wait(request now: MonotonicInstant, _ patience: Int64) {
        request = Wait(due: now.advanced(byNanoseconds: patience))
    }

    // MARK: - The request

    mutating func exchangeBegan() { response = Wait() }

    /// The request waits for its first token, or for another one after a refusal that the app has not seen.
    mutating func credentialAwaited(at now: MonotonicInstant) {
        response = Wait()
        wait(request: now, timeouts.acquire)
    }

    /// The request waits for a connection, and the connector watches the timeout.
    mutating func connectionAwaited() {
        request = Wait(due: .distantFuture)
    }

    /// A part of the request was sent, and the backend has room for more.
    ///
    /// - Parameters:
    ///   - received: The number of body bytes received so far.
    ///   - isComplete: Whether that is the whole body.
    ///   - isAnswered: Whether the final response has begun.
    ///   - limits: How long the backend may take.
    ///   - now: When the part was sent.
    mutating func requestMoved(
        received: UInt64, isComplete: Bool, isAnswered: Bool, within limits: BackendTimeouts, at now: MonotonicInstant
    ) {
        guard !isComplete else { return requestLeft(isAnswered: isAnswered, limits, at: now) }
        guard !request.lacksPiece(received) else { return }
        request = Wait(due: now.advanced(byNanoseconds: timeouts.body), pieceAfter: received)
    }

    /// The backend has no room for more of the request.
    mutating func requestBlocked(untaken: Int, within limits: BackendTimeouts, at now: MonotonicInstant) {
        request = wait(for: untaken, limits.response.nanoseconds, now)
    }

    /// The whole request was sent: the backend's time for its whole final head begins.
    private mutating func requestLeft(isAnswered: Bool, _ limits: BackendTimeouts, at now: MonotonicInstant) {
        request = Wait()
        if !isAnswered { response = Wait(due: now.advanced(byNanoseconds: limits.response.nanoseconds)) }
    }

    // MARK: - The response

    /// A part of the final response was sent, and the app has room for more or has taken everything.
    mutating func responseMoved(within limits: BackendTimeouts, at now: MonotonicInstant) {
        response = Wait(due: now.advanced(byNanoseconds: limits.streamIdle.nanoseconds))
    }

    /// The app has no room for more of the response.
    mutating func responseBlocked(untaken: Int, at now: MonotonicInstant) {
        response = wait(for: untaken, timeouts.idle, now)
    }

    private func wait(for untaken: Int, _ patience: Int64, _ now: MonotonicInstant) -> Wait {
        Wait(due: now.advanced(byNanoseconds: patience), untaken: untaken, patience: patience)
    }

    // MARK: - The end

    /// The side that has to make progress once a response has begun; if both directions wait, the one with the later
    /// deadline.
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

    /// Checks the progress of both receivers when the deadline is reached.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - untakenRequest: The number of bytes of the request that the backend has not taken.
    ///   - untakenResponse: The number of bytes of the response that the app has not taken.
    /// - Returns: true if the connection has timed out; if false, `instant` is a new deadline.
    mutating func isOver(
        at now: MonotonicInstant, untakenRequest: @autoclosure () -> Int, untakenResponse: @autoclosure () -> Int
    ) -> Bool {
        Self.look(&request, now, untakenRequest)
        Self.look(&response, now, untakenResponse)
        return now >= instant
    }

    private static func look(_ wait: inout Wait, _ now: MonotonicInstant, _ untaken: () -> Int) {
        guard let before = wait.untaken, now >= wait.due else { return }
        let left = untaken()
        wait.checked(untaken: left)
        if left < before { wait.due = now.advanced(byNanoseconds: wait.patience) }
    }
}
