/// The callers that are parked in the store's entries, by their numbers.
struct Waiters {
    private var parked: [WaiterID: Waiter<TokenStore.Answer>] = [:]
    private var count = 0

    /// A number for one more caller.
    mutating func next() -> WaiterID {
        defer { count += 1 }
        return WaiterID(count)
    }

    /// Parks a caller.
    mutating func park(_ id: WaiterID) -> Waiter<TokenStore.Answer> {
        let waiter = Waiter<TokenStore.Answer>()
        parked[id] = waiter
        return waiter
    }

    /// Removes a caller that no longer waits and must not be answered.
    mutating func forget(_ id: WaiterID) { parked[id] = nil }

    /// Answers callers.
    mutating func answer(_ ids: [WaiterID], _ answer: TokenStore.Answer) {
        for id in ids { parked.removeValue(forKey: id)?.resume(answer) }
    }
}
