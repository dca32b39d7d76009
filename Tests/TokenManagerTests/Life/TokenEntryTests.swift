import Testing
import TokenManager

@Suite struct TokenEntryTests {
    typealias AcquireRow = (EntryState, Double, TokenEntry.AcquireAction, EntryState)

    private static let token = Sample.token
    private static let down = Sample.outage(until: 85)
    private static let shown = TokenError(
        kind: .tokenServerUnreachable, message: "unreachable", retryAfter: .seconds(5))

    @Test(
        "A caller asks, in every state",
        arguments: [
            (.empty, 0, .parkAndFetch, .fetching([7])),
            (.fetching([]), 0, .park, .fetching([7])),
            (.fetching([1, 2], down), 0, .park, .fetching([1, 2, 7], down)),
            (.fetching([1], down, fallback: token), 0, .park, .fetching([1, 7], down, fallback: token)),
            (.fresh(token), 94.9, .serve(token), .fresh(token)),
            (.fresh(token, down), 82, .serve(token), .fresh(token, down)),
            (.refreshing(token), 94.9, .serve(token), .refreshing(token)),
            (.refreshing(token, down), 90, .serve(token), .refreshing(token, down)),
            (.failed(down), 80, .fail(shown), .failed(down)),
        ] as [AcquireRow])
    func acquire(state: EntryState, time: Double, action: TokenEntry.AcquireAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.acquire(WaiterID(7), now: Sample.at(time), mayFetch: true) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "Only the first fetch depends on whether one may begin",
        arguments: [
            (.empty, .turnAway, .empty), (.fetching([]), .park, .fetching([7])),
            (.fetching([1], down, fallback: token), .park, .fetching([1, 7], down, fallback: token)),
            (.fresh(token), .serve(token), .fresh(token)), (.refreshing(token), .serve(token), .refreshing(token)),
            (.failed(down), .fail(shown), .failed(down)),
        ] as [(EntryState, TokenEntry.AcquireAction, EntryState)])
    func turnAway(state: EntryState, action: TokenEntry.AcquireAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.acquire(WaiterID(7), now: Sample.at(80), mayFetch: false) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "A token is needed before a caller asks, in every state",
        arguments: [
            (.empty, .fetch, .fetching([])),
            (.fetching([1], down), .none, .fetching([1], down)),
            (.fetching([1], down, fallback: token), .none, .fetching([1], down, fallback: token)),
            (.fresh(token, down), .none, .fresh(token, down)),
            (.refreshing(token, down), .none, .refreshing(token, down)),
            (.failed(down), .none, .failed(down)),
        ] as [(EntryState, TokenEntry.PrefetchAction, EntryState)])
    func prefetch(state: EntryState, action: TokenEntry.PrefetchAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.prefetch() == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "An operator wants another token, in every state",
        arguments: [
            (.empty, .fetch, .fetching([])),
            (.fetching([1], down), .none, .fetching([1], down)),
            (.fetching([1], down, fallback: token), .none, .fetching([1], down, fallback: token)),
            (.fresh(token), .fetch, .refreshing(token)),
            (.fresh(token, down), .fetch, .refreshing(token, down)),
            (.refreshing(token, down), .none, .refreshing(token, down)),
            (.failed(down), .fetch, .fetching([], down)),
        ] as [(EntryState, TokenEntry.RefreshRequestedAction, EntryState)])
    func refreshRequested(state: EntryState, action: TokenEntry.RefreshRequestedAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.refreshRequested() == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "A backend refuses the token, in every state",
        arguments: [
            (.empty, 0, .none, .empty),
            (.fetching([1], down), 0, .none, .fetching([1], down)),
            (.fetching([1], fallback: token), 50, .none, .fetching([1], fallback: token)),
            (.fresh(token), 50, .withdrawAndFetch, .fetching([], fallback: token)),
            (.fresh(token, down), 84.9, .none, .fresh(token, down)),
            (.fresh(token, down), 85, .withdrawAndFetch, .fetching([], down, fallback: token)),
            (.refreshing(token, down), 90, .withdraw, .fetching([], down, fallback: token)),
            (.failed(down), 80, .none, .failed(down)),
        ] as [(EntryState, Double, TokenEntry.RefusedAction, EntryState)])
    func refused(state: EntryState, time: Double, action: TokenEntry.RefusedAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.refused(now: Sample.at(time)) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "Time passes, in every state",
        arguments: [
            (.empty, 1000, .none, .empty),
            (.fetching([1], down), 1000, .none, .fetching([1], down)),
            (.fetching([1], down, fallback: token), 94.9, .none, .fetching([1], down, fallback: token)),
            (.fetching([1], down, fallback: token), 95, .none, .fetching([1], down)),
            (.fresh(token), 79.9, .none, .fresh(token)),
            (.fresh(token), 80, .fetch, .refreshing(token)),
            (.fresh(token), 94.9, .fetch, .refreshing(token)),
            (.fresh(token), 95, .withdrawAndFetch, .fetching([])),
            (.fresh(token), 5000, .withdrawAndFetch, .fetching([])),
            (.fresh(token, down), 84.9, .none, .fresh(token, down)),
            (.fresh(token, down), 85, .fetch, .refreshing(token, down)),
            (.fresh(token, down), 95, .withdrawAndFetch, .fetching([], down)),
            (
                .fresh(token, Sample.outage(3, until: 99)), 95, .withdraw,
                .failed(Sample.outage(3, until: 99))
            ),
            (.refreshing(token, down), 94.9, .none, .refreshing(token, down)),
            (.refreshing(token, down), 95, .withdraw, .fetching([], down)),
            (.failed(down), 84.9, .none, .failed(down)),
            (.failed(down), 85, .fetch, .fetching([], down)),
        ] as [(EntryState, Double, TokenEntry.TimeReachedAction, EntryState)])
    func timeReached(state: EntryState, time: Double, action: TokenEntry.TimeReachedAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.timeReached(Sample.at(time), mayFetch: true) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "Time passes while no fetch may begin, in every state",
        arguments: [
            (.empty, 1000, .none, .empty),
            (.fetching([1], down, fallback: token), 95, .none, .fetching([1], down)),
            (.fresh(token), 80, .none, .fresh(token)),
            (.fresh(token, down), 85, .none, .fresh(token, down)),
            (.fresh(token), 95, .withdraw, .empty),
            (.fresh(token, down), 95, .withdraw, .empty),
            (
                .fresh(token, Sample.outage(3, until: 99)), 95, .withdraw,
                .failed(Sample.outage(3, until: 99))
            ),
            (.refreshing(token, down), 95, .withdraw, .fetching([], down)),
            (.failed(down), 84.9, .none, .failed(down)),
            (.failed(down), 85, .none, .empty),
        ] as [(EntryState, Double, TokenEntry.TimeReachedAction, EntryState)])
    func timeReachedWithoutFetch(
        state: EntryState, time: Double, action: TokenEntry.TimeReachedAction, next: EntryState
    ) {
        var entry = state.entry
        #expect(entry.timeReached(Sample.at(time), mayFetch: false) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "A fetch brings a token",
        arguments: [
            (.fetching([]), []), (.fetching([1, 2], down), [1, 2]), (.fetching([1], fallback: token), [1]),
            (.refreshing(token), []), (.refreshing(token, down), []),
        ] as [(EntryState, [Int])])
    func fetchSucceeded(state: EntryState, waiters: [Int]) {
        var entry = state.entry
        let expected = TokenEntry.FetchSucceededAction.publish(Sample.newer, waiters: waiters.map { WaiterID($0) })
        #expect(entry.fetchSucceeded(Sample.newer) == expected)
        #expect(EntryState(entry) == .fresh(Sample.newer))
    }

    @Test func `A fetch fails and there is no token: the waiters fail and the back-off begins`() {
        var entry = EntryState.fetching([1, 2]).entry
        var shown = Sample.error
        shown.retryAfter = .seconds(1)
        #expect(
            entry.fetchFailed(Sample.failure, now: Sample.at(10), random: 0.5)
                == .fail(shown, waiters: Sample.waiters(1, 2)))
        #expect(EntryState(entry) == .failed(Sample.outage(1, until: 11)))
    }

    @Test func `A fetch fails and the old token is good: it is still served, and the back-off begins`() {
        var entry = EntryState.refreshing(Self.token, Sample.outage(3, until: 84)).entry
        #expect(entry.fetchFailed(Sample.failure, now: Sample.at(85), random: 0.5) == .none)
        #expect(EntryState(entry) == .fresh(Self.token, Sample.outage(4, until: 93)))
    }

    @Test(
        "A fetch fails to replace a refused token: it is served again, and its refresh waits for the back-off",
        arguments: [
            (FetchFailure(error: Sample.error), Sample.outage(1, until: 11)),
            (FetchFailure(error: Sample.error, isLocal: true), Sample.outage(0, until: 11)),
            (
                FetchFailure(error: Sample.error, isDefinitive: true),
                Outage(error: Sample.error, failures: 0, refusals: 1, retryAt: Sample.at(15))
            ),
            (FetchFailure(error: Sample.error, retryAfter: .seconds(60)), Sample.outage(1, until: 70)),
            // Longer than the token lives, which its end cuts short.
            (FetchFailure(error: Sample.error, retryAfter: .seconds(200)), Sample.outage(1, until: 210)),
        ])
    func fallBack(failure: FetchFailure, outage: Outage) {
        var entry = EntryState.fetching([1, 2], fallback: Self.token).entry
        let token = Self.token.refreshed(at: outage.retryAt)
        #expect(
            entry.fetchFailed(failure, now: Sample.at(10), random: 0.5)
                == .fallBack(token, waiters: Sample.waiters(1, 2)))
        #expect(EntryState(entry) == .fresh(token, outage))
        #expect(entry.wakeAt == min(outage.retryAt, Self.token.usableUntil))
    }

    @Test func `A token that was refused twice in an outage is served again, and the back-off continues`() {
        var entry = EntryState.fetching([], Sample.outage(3, until: 84), fallback: Self.token).entry
        let token = Self.token.refreshed(at: Sample.at(93))
        #expect(
            entry.fetchFailed(Sample.failure, now: Sample.at(85), random: 0.5) == .fallBack(token, waiters: []))
        #expect(EntryState(entry) == .fresh(token, Sample.outage(4, until: 93)))
    }

    @Test(
        "A waiter leaves, in every state",
        arguments: [
            (.empty, .none, .empty),
            (.fetching([7]), .forget, .fetching([])),
            (.fetching([1, 7, 2], down), .forget, .fetching([1, 2], down)),
            (.fetching([7], fallback: token), .forget, .fetching([], fallback: token)),
            (.fetching([1], down), .none, .fetching([1], down)),
            (.fresh(token, down), .none, .fresh(token, down)),
            (.refreshing(token, down), .none, .refreshing(token, down)),
            (.failed(down), .none, .failed(down)),
        ] as [(EntryState, TokenEntry.WaiterLeftAction, EntryState)])
    func waiterLeft(state: EntryState, action: TokenEntry.WaiterLeftAction, next: EntryState) {
        var entry = state.entry
        #expect(entry.waiterLeft(WaiterID(7)) == action)
        #expect(EntryState(entry) == next)
    }

    @Test(
        "The owner stops, in every state",
        arguments: [
            (.empty, .none), (.fetching([]), .none), (.fetching([1, 2], down), .fail(waiters: Sample.waiters(1, 2))),
            (.fetching([1], fallback: token), .fail(waiters: Sample.waiters(1))),
            (.fresh(token, down), .none), (.refreshing(token, down), .none), (.failed(down), .none),
        ] as [(EntryState, TokenEntry.StopAction)])
    func stop(state: EntryState, action: TokenEntry.StopAction) {
        var entry = state.entry
        #expect(entry.stop() == action)
        #expect(EntryState(entry) == .empty)
    }

    @Test(
        "Every state knows when it must be told the time",
        arguments: [
            (.empty, nil), (.fetching([1], down), nil), (.fetching([1], fallback: token), nil),
            (.fresh(token), 80), (.fresh(token, down), 85),
            (.fresh(token, Sample.outage(until: 99)), 95), (.refreshing(token, down), 95), (.failed(down), 85),
        ] as [(EntryState, Double?)])
    func wakeAt(state: EntryState, time: Double?) {
        let entry = state.entry
        #expect(entry.wakeAt == time.map { Sample.at($0) })
    }

    @Test func `A token that has ended is not shown on a status page`() {
        let entry = EntryState.refreshing(Self.token).entry
        #expect(entry.view(at: Sample.at(94)).state == .refreshing)
        #expect(entry.view(at: Sample.at(95)).state == .fetching)
        #expect(entry.token(at: Sample.at(94)) == Self.token)
        #expect(entry.token(at: Sample.at(95)) == nil)
    }

    @Test func `A fallback token is not shown on a status page, and another key takes it over until its end`() {
        let entry = EntryState.fetching([], Self.down, fallback: Self.token).entry
        #expect(entry.view(at: Sample.at(10)) == EntryState.fetching([]).entry.view(at: Sample.at(10)))
        #expect(entry.token == nil)
        #expect(entry.token(at: Sample.at(10)) == nil)
        #expect(entry.fallback(at: Sample.at(94)) == Self.token)
        #expect(entry.fallback(at: Sample.at(95)) == nil)
        #expect(EntryState(TokenEntry(fallingBackOn: Self.token)) == .fetching([], fallback: Self.token))
        for other in [EntryState.empty, .fetching([]), .fresh(Self.token), .refreshing(Self.token), .failed(Self.down)]
        {
            #expect(other.entry.fallback(at: Sample.at(0)) == nil)
        }
    }

    @Test func `An adopted token is served, and its successor is fetched at once`() {
        var entry = TokenEntry(adopting: Self.token, now: Sample.at(10))
        #expect(entry.timeReached(Sample.at(10), mayFetch: true) == .fetch)
        #expect(
            entry.acquire(WaiterID(1), now: Sample.at(10), mayFetch: true)
                == .serve(Self.token.refreshed(at: Sample.at(10))))
    }
}
