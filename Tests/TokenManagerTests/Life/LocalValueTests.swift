import Testing
import TokenManager

/// A copyable picture of a `LocalValue`.
enum LocalState: Equatable, Sendable {
    case empty
    case held(LocalValue.Reading)
    case stale(LocalValue.Reading, TokenError)
    case failed(TokenError)

    var value: LocalValue {
        switch self {
        case .empty: .empty
        case .held(let reading): .held(reading)
        case .stale(let reading, let error): .stale(reading, error)
        case .failed(let error): .failed(error)
        }
    }

    init(_ value: borrowing LocalValue) {
        switch value {
        case .empty: self = .empty
        case .held(let reading): self = .held(reading)
        case .stale(let reading, let error): self = .stale(reading, error)
        case .failed(let error): self = .failed(error)
        }
    }
}

@Suite struct LocalValueTests {
    private static let old = LocalValue.Reading(text: "old", usableUntil: Sample.at(50))
    private static let same = LocalValue.Reading(text: "old", usableUntil: Sample.at(51))
    private static let new = LocalValue.Reading(text: "new", usableUntil: nil)
    private static let gone = TokenError(kind: .secretUnreadable, message: "gone")
    private static let other = TokenError(kind: .unusableValue, message: "bad")
    private static let ended = TokenError(kind: .tokenExpired, message: "ended")

    @Test(
        "The source is read, in every state",
        arguments: [
            (.empty, new, .publish(new), .held(new)),
            (.held(old), same, .none, .held(old)),
            (.held(old), new, .publish(new), .held(new)),
            (.stale(old, gone), same, .recover, .held(old)),
            (.stale(old, gone), new, .publish(new), .held(new)),
            (.failed(gone), new, .publish(new), .held(new)),
        ] as [(LocalState, LocalValue.Reading, LocalValue.ReadAction, LocalState)])
    func read(state: LocalState, reading: LocalValue.Reading, action: LocalValue.ReadAction, next: LocalState) {
        var value = state.value
        #expect(value.read(reading) == action)
        #expect(LocalState(value) == next)
    }

    @Test(
        "The source cannot be read, in every state",
        arguments: [
            (.empty, gone, .report(gone), .failed(gone)),
            (.held(old), gone, .report(gone), .stale(old, gone)),
            (.stale(old, gone), gone, .none, .stale(old, gone)),
            (.stale(old, gone), other, .report(other), .stale(old, other)),
            (.failed(gone), gone, .none, .failed(gone)),
            (.failed(gone), other, .report(other), .failed(other)),
        ] as [(LocalState, TokenError, LocalValue.ReadFailedAction, LocalState)])
    func readFailed(state: LocalState, error: TokenError, action: LocalValue.ReadFailedAction, next: LocalState) {
        var value = state.value
        #expect(value.readFailed(error) == action)
        #expect(LocalState(value) == next)
    }

    @Test(
        "Time passes, in every state",
        arguments: [
            (.empty, 60, .none, .empty),
            (.held(old), 49.9, .none, .held(old)),
            (.held(old), 50, .withdrawAndReport(ended), .failed(ended)),
            (.held(new), 1e9, .none, .held(new)),
            (.stale(old, gone), 49.9, .none, .stale(old, gone)),
            (.stale(old, gone), 50, .withdraw, .failed(gone)),
            (.failed(gone), 60, .none, .failed(gone)),
        ] as [(LocalState, Double, LocalValue.TimeReachedAction, LocalState)])
    func timeReached(state: LocalState, time: Double, action: LocalValue.TimeReachedAction, next: LocalState) {
        var value = state.value
        #expect(value.timeReached(Sample.at(time), ended: Self.ended) == action)
        #expect(LocalState(value) == next)
    }

    @Test(
        "A caller asks, in every state",
        arguments: [
            (.empty, .none), (.held(old), .serve(old)), (.stale(old, gone), .serve(old)),
            (.failed(gone), .fail(gone)),
        ] as [(LocalState, LocalValue.AcquireAction)])
    func acquire(state: LocalState, action: LocalValue.AcquireAction) {
        var value = state.value
        #expect(value.acquire() == action)
        #expect(LocalState(value) == state)
    }
}
