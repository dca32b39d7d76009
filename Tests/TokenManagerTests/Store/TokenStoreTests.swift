import Testing

@testable import TokenManager

@Suite struct TokenStoreTests {
    @Test func `The first caller begins the fetch, and all callers get its result`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        #expect(try sample.ask(holder, 1, at: 0) == ["park", "fetch", "wake never"])
        #expect(try sample.ask(holder, 2, at: 1) == ["park", "wake never"])
        #expect(
            try sample.succeed(holder, "t1", at: 2) == ["publish a t1", "fetched a t1", "answer [1, 2] t1", "wake 82"])
        #expect(try sample.ask(holder, 3, at: 3) == ["serve t1", "wake 82"])
    }

    @Test func `A token is refreshed while it is served, and withdrawn if it has no successor`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        _ = try sample.succeed(holder, "t1", at: 0)
        #expect(try sample.fireTimer(holder, at: 80) == ["fetch", "wake 95"])
        #expect(try sample.ask(holder, 2, at: 81) == ["serve t1", "wake 95"])
        #expect(try sample.fail(holder, at: 82) == ["failed a", "wake 83"])
        #expect(try sample.fireTimer(holder, at: 83) == ["fetch", "wake 95"])
        #expect(try sample.fireTimer(holder, at: 95) == ["withdraw a", "wake never"])
        #expect(
            try sample.succeed(holder, "t2", at: 96) == ["publish a t2", "fetched a t2", "answer [] t2", "wake 176"])
    }

    @Test func `A failed fetch answers all waiting callers, and the next one begins after the pause`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        #expect(try sample.fail(holder, at: 1) == ["answer [1] error", "failed a", "wake 2"])
        #expect(try sample.ask(holder, 2, at: 1.5) == ["fail tokenServerUnreachable", "wake 2"])
        #expect(try sample.ask(holder, 3, at: 2) == ["fetch", "wake never"].withParked)
    }

    @Test func `Holders of one key share its token and its fetch, and both reach each holder`() throws {
        let sample = SampleStore()
        let (one, other) = (try sample.holder("a"), try sample.holder("b"))
        _ = try sample.ask(one, 1, at: 0)
        #expect(try sample.ask(other, 2, at: 0) == ["park", "wake never"])
        #expect(
            try sample.succeed(one, "t1", at: 0) == [
                "publish a t1", "publish b t1", "fetched a t1", "fetched b t1", "answer [1, 2] t1", "wake 80",
            ])
        let third = TokenHolder("c")
        #expect(try sample.read("s", of: third, at: 5) == ["share c a", "publish c t1"])
    }

    @Test func `The old secret's token is served until the new one's is there`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        _ = try sample.succeed(holder, "t1", at: 0)
        #expect(try sample.read("new", of: holder, at: 10) == ["wake never", "fetch", "wake 95"])
        #expect(try sample.ask(holder, 2, at: 11) == ["serve t1", "wake 95"])
        #expect(sample.store.entries.count == 1)
        #expect(try sample.read("new", of: holder, at: 12) == [])
    }

    @Test func `A fetch without holders ends with its entry, and evicts no other token`() throws {
        let sample = SampleStore(capacity: 1)
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        let old = try #require(sample.entry(of: holder))
        #expect(try sample.read("new", of: holder, at: 1) == [])
        #expect(sample.store.fetches.exempt == 1)
        #expect(try sample.ask(holder, 2, at: 2) == ["park", "fetch", "wake never"])
        _ = try sample.succeed(holder, "t2", at: 3)
        #expect(sample.store.entries.count == 2)
        _ = sample.store.fetchSucceeded(old, Sample.token, Sample.at(4))
        #expect(sample.store.entries.count == 1)
        #expect(sample.store.fetches.exempt == 0)
        #expect(try sample.ask(holder, 3, at: 5) == ["serve t2", "wake 83"])
    }

    @Test func `A replaced refresh token is another key of the same entry`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        let entry = try #require(sample.entry(of: holder))
        let old = entry.key
        let replaced = sample.store.secretsReplaced(SecretTexts([.clientSecret: SecretText("r2")]), of: entry)
        #expect(replaced.map(\.name) == ["a"])
        #expect(entry.key != old)
        #expect(sample.entry(of: holder) === entry)
        #expect(holder.secrets?[.clientSecret]?.value == "r2")
        _ = try sample.succeed(holder, "t1", at: 1)
        #expect(try sample.ask(holder, 2, at: 2) == ["serve t1", "wake 81"])
    }

    @Test func `The stop drops every entry with its waiting callers, and keeps all secrets`() throws {
        let sample = SampleStore()
        let (one, other) = (try sample.holder("a"), try sample.holder("b", secret: "t"))
        _ = try sample.ask(one, 1, at: 0)
        _ = try sample.ask(one, 2, at: 0)
        _ = try sample.ask(other, 3, at: 0)
        _ = try sample.succeed(other, "t1", at: 0)
        let entry = try #require(sample.entry(of: one))
        let stopped = sample.store.stop()
        #expect(Set(stopped.map { $0.waiting.map(\.number) }) == [[], [1, 2]])
        #expect(sample.store.entries.count == 0)
        // The answer of a fetch in flight may bring another refresh token nevertheless.
        let holders = sample.store.secretsReplaced(SecretTexts([.clientSecret: SecretText("r2")]), of: entry)
        #expect(holders.map(\.name) == ["a"])
    }

    @Test func `A cancelled caller is not answered, and the fetch continues`() throws {
        let sample = SampleStore()
        let holder = try sample.holder("a")
        _ = try sample.ask(holder, 1, at: 0)
        _ = try sample.ask(holder, 2, at: 0)
        let entry = try #require(sample.entry(of: holder))
        #expect(sample.store.waiterLeft(entry, WaiterID(1)) == .forget)
        #expect(sample.store.waiterLeft(entry, WaiterID(1)) == .none)
        #expect(
            try sample.succeed(holder, "t1", at: 1) == ["publish a t1", "fetched a t1", "answer [2] t1", "wake 81"])
    }
}

extension [String] {
    /// The same for a caller that was parked.
    fileprivate var withParked: [String] { ["park"] + self }
}
