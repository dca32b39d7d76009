import Testing

@testable import TokenManager

/// Which entries leave where there are too many, and what values of requests may take.
@Suite struct StoreEvictionTests {
    private static let refusal = FetchFailure(
        error: TokenError(kind: .tokenServerRefused(status: 403, oauthError: nil), message: "m"), isDefinitive: true)

    @Test func `The least recently used token is evicted, and one that is being fetched stays`() throws {
        let sample = SampleStore(capacity: 2)
        let holders = try ["a", "b", "c"].map { try sample.holder($0, secret: $0) }
        _ = try sample.ask(holders[0], 1, at: 0)
        _ = try sample.ask(holders[1], 2, at: 0)
        _ = try sample.succeed(holders[1], "b1", at: 0)
        #expect(
            try sample.ask(holders[2], 3, at: 1) == ["park", "fetch", "wake never", "withdraw b", "wake never"])
        #expect(sample.entry(of: holders[0]) != nil)
        #expect(sample.entry(of: holders[1]) == nil)
    }

    @Test func `Values are evicted before configured credentials, and refused ones before those with a token`() throws {
        let sample = SampleStore(capacity: 3)
        let variants = try SampleStore.variants()
        let configured = try sample.holder("a")
        _ = try sample.ask(configured, 1, at: 0)
        _ = try sample.succeed(configured, "a1", at: 0)
        var values: [TokenHolder] = []
        for host in ["x", "y"] {
            let value = try sample.value(host, of: variants)
            _ = try sample.ask(value, 2, at: 0)
            values.append(value)
        }
        _ = try sample.succeed(values[0], "x1", at: 1)
        _ = try sample.fail(values[1], Self.refusal, at: 1)
        let third = try sample.value("z", of: variants)
        _ = try sample.ask(third, 3, at: 2)
        // The fetch of a value takes no other's place.
        #expect(sample.store.entries.count == 4)
        _ = try sample.succeed(third, "z1", at: 3)
        #expect(variants.holder(for: RequestParameters(host: "y")) == nil)
        let fourth = try sample.value("w", of: variants, at: 4)
        _ = try sample.ask(fourth, 4, at: 4)
        #expect(try sample.succeed(fourth, "w1", at: 5).contains("withdraw p"))
        #expect(variants.holder(for: RequestParameters(host: "x")) == nil)
        #expect(sample.entry(of: configured) != nil)
    }

    @Test func `No more fetches for values are in flight than tokens are kept`() throws {
        let sample = SampleStore(capacity: 2)
        let variants = try SampleStore.variants()
        for (number, host) in ["x", "y"].enumerated() {
            let value = try sample.value(host, of: variants)
            #expect(try sample.ask(value, number, at: 0).first == "park")
        }
        let third = try sample.value("z", of: variants)
        #expect(try sample.ask(third, 3, at: 0).first == "fail tooManyFetches")
        #expect(variants.holder(for: RequestParameters(host: "z")) == nil)
        let configured = try sample.holder("a", secret: "other")
        #expect(try sample.ask(configured, 4, at: 0).first == "park")
    }

    @Test func `What one value's fetch says about the client holds for all values`() throws {
        let sample = SampleStore()
        let variants = try SampleStore.variants()
        let (one, other) = (try sample.value("x", of: variants), try sample.value("y", of: variants))
        _ = try sample.ask(one, 1, at: 0)
        #expect(try sample.fail(one, at: 1) == ["answer [1] error", "failed p", "wake never", "wake never"])
        #expect(variants.holder(for: RequestParameters(host: "x")) == nil)
        #expect(try sample.ask(other, 2, at: 1.5).first == "fail tokenServerUnreachable")
    }

    @Test func `A refusal of one request's values holds for those alone`() throws {
        let sample = SampleStore()
        let variants = try SampleStore.variants()
        let (one, other) = (try sample.value("x", of: variants), try sample.value("y", of: variants))
        _ = try sample.ask(one, 1, at: 0)
        #expect(try sample.fail(one, Self.refusal, at: 1).contains("refused request p"))
        #expect(try sample.ask(other, 2, at: 1.5) == ["park", "fetch", "wake never"])
    }

    @Test func `A value's token is dropped at its end if no caller asks for it`() throws {
        let sample = SampleStore()
        let variants = try SampleStore.variants()
        let value = try sample.value("x", of: variants)
        _ = try sample.ask(value, 1, at: 0)
        #expect(try sample.succeed(value, "x1", at: 0).last == "wake 95")
        #expect(try sample.fireTimer(value, at: 95) == ["withdraw p", "wake never"])
        #expect(variants.holders.isEmpty)
    }
}
