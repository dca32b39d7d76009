import Testing

@testable import TokenManager

/// Refusals of tokens, which name a token by its generation.
@Suite struct StoreRefusalTests {
    private let sample = SampleStore()

    /// A holder with a token that was fetched at 0 s.
    private func served(_ name: String = "a", secret: String = "s") throws -> (TokenHolder, TokenGeneration) {
        let holder = try sample.holder(name, secret: secret)
        _ = try sample.ask(holder, 1, at: 0)
        _ = try sample.succeed(holder, "t1", at: 0)
        return (holder, try sample.generation(holder))
    }

    @Test func `A refused token is replaced, at most once in ten seconds`() throws {
        let (holder, first) = try served()
        #expect(try sample.refuse(holder, first, at: 1) == ["withdraw a", "fetch", "wake never"])
        #expect(try sample.refuse(holder, first, at: 2) == [])
        _ = try sample.succeed(holder, "t2", at: 3)
        let second = try sample.generation(holder)
        #expect(try sample.refuse(holder, second, at: 10.9) == [])
        #expect(try sample.refuse(holder, second, at: 11) == ["withdraw a", "fetch", "wake never"])
    }

    @Test("The refusal of an older token changes nothing, whatever the text of the newer one", arguments: ["t1", "t2"])
    func older(text: String) throws {
        let (holder, first) = try served()
        _ = try sample.fireTimer(holder, at: 80)
        _ = try sample.succeed(holder, text, at: 81)
        let second = try sample.generation(holder)
        #expect(second != first)
        #expect(try sample.refuse(holder, first, at: 82) == [])
        #expect(try sample.ask(holder, 2, at: 82) == ["serve \(text)", "wake 161"])
        #expect(try sample.refuse(holder, second, at: 83) == ["withdraw a", "fetch", "wake never"])
    }

    @Test func `A refusal counts once for all requests that were sent with the token`() throws {
        let (holder, first) = try served()
        #expect(try sample.refuse(holder, first, at: 1) == ["withdraw a", "fetch", "wake never"])
        for _ in 0..<100 { #expect(try sample.refuse(holder, first, at: 1) == []) }
        _ = try sample.succeed(holder, "t1", at: 2)
        // The ten seconds are over, and the text is the same.
        for _ in 0..<100 { #expect(try sample.refuse(holder, first, at: 20) == []) }
        #expect(try sample.ask(holder, 2, at: 20) == ["serve t1", "wake 82"])
    }

    @Test func `A refusal that comes when the token is gone changes nothing`() throws {
        let (holder, first) = try served()
        _ = try sample.fireTimer(holder, at: 80)
        #expect(try sample.refuse(holder, first, at: 95) == ["withdraw a"])
        #expect(try sample.refuse(holder, .unissued, at: 96) == [])
    }

    @Test func `A refused token that is served again is the same one`() throws {
        let (holder, first) = try served()
        _ = try sample.refuse(holder, first, at: 1)
        #expect(try sample.ask(holder, 2, at: 1) == ["park", "wake never"])
        #expect(try sample.fail(holder, at: 2) == ["publish a t1", "answer [2] t1", "failed a", "wake 3"])
        #expect(try sample.generation(holder) == first)
    }

    @Test func `A token keeps its generation where the secret changes, and a refusal drops it for that holder alone`()
        throws
    {
        let (holder, first) = try served()
        let other = try sample.holder("b")
        _ = try sample.read("new", of: holder, at: 10)
        #expect(try sample.generation(holder) == first)
        #expect(try sample.generation(other) == first)
        #expect(try sample.refuse(holder, first, at: 11) == ["withdraw a", "wake never"])
        #expect(try sample.ask(other, 2, at: 12) == ["serve t1", "wake 80"])
    }

    @Test func `No two tokens of a store have the same generation, also where an entry was dropped and made again`()
        throws
    {
        let (holder, first) = try served()
        let (other, second) = try served("b", secret: "t")
        _ = try sample.read("u", of: other, at: 1)
        _ = try sample.read("t", of: other, at: 1)
        _ = try sample.succeed(other, "t2", at: 2)
        let generations = [first, second, try sample.generation(other)]
        #expect(Set(generations).count == 3)
        #expect(try sample.refuse(holder, second, at: 3) == [])
    }
}
