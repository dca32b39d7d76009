import Support
import Testing
import TokenManager

@Suite struct TokenCacheTests {
    @Test func `The least recently used value leaves first`() {
        var cache = TokenCache<String, Int>(capacity: 2)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        #expect(cache.use("a") == 1)
        cache.insert(3, for: "c")
        #expect(cache.evict(beyond: 2) { _ in true } == 2)
        #expect(cache.evict(beyond: 2) { _ in true } == nil)
        #expect(cache.values == [3, 1])
    }

    @Test func `A peek is not a use, and a value that must stay is skipped`() {
        var cache = TokenCache<String, Int>(capacity: 1)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        #expect(cache.peek("a") == 1)
        #expect(cache.evict(beyond: 1) { $0 != 1 } == 2)
        #expect(cache.values == [1])
        cache.insert(3, for: "c")
        #expect(cache.evict(beyond: 1) { _ in false } == nil)
        #expect(cache.count == 2)
    }

    @Test func `An equal key replaces the value, and a capacity of zero counts as one`() {
        var cache = TokenCache<String, Int>(capacity: 0)
        cache.insert(1, for: "a")
        cache.insert(2, for: "a")
        #expect(cache.capacity == 1)
        #expect(cache.values == [2])
        #expect(cache.remove("a") == 2)
        #expect(cache.remove("a") == nil)
        #expect(cache.use("a") == nil)
        #expect(cache.values.isEmpty)
    }

    @Test("It behaves like a plain list", arguments: 1...20)
    func walk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = TokenCache<Int, Int>(capacity: 5)
        var model: [(key: Int, value: Int)] = []
        for step in 0..<2000 {
            let key = Int.random(in: 0..<12, using: &random)
            let place = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let expected = place.map { model.remove(at: $0) }
                if let expected { model.insert(expected, at: 0) }
                #expect(cache.use(key) == expected?.value)
            case 1:
                #expect(cache.remove(key) == place.map { model.remove(at: $0).value })
            default:
                if let place { model.remove(at: place) }
                model.insert((key, step), at: 0)
                cache.insert(step, for: key)
                let expected = model.count > 5 ? model.removeLast().value : nil
                #expect(cache.evict(beyond: 5) { _ in true } == expected)
            }
            #expect(cache.values == model.map(\.value))
            #expect(cache.count == model.count)
        }
    }
}
