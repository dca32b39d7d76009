import ProxyCore
import Support
import Testing

@Suite struct IdleOrderTests {
    @Test func `It finds the oldest entry after any removals, like an array`() {
        var order = IdleOrder()
        var expected: [IdleOrder.Entry] = []
        var random = SeededGenerator(seed: 11)
        for _ in 0..<10_000 {
            if expected.isEmpty || Int.random(in: 0..<9, using: &random) < 5 {
                let entry = order.makeEntry()
                #expect(entry > 0 && !expected.contains(entry))
                order.append(entry)
                // Most connections become idle several times.
                if Bool.random(using: &random) {
                    order.remove(entry)
                    order.append(entry)
                }
                expected.append(entry)
            } else {
                // The ends and the middle, each often.
                let last = expected.count - 1
                let index = [0, last, Int.random(in: 0...last, using: &random)].randomElement(using: &random) ?? 0
                let entry = expected.remove(at: index)
                order.remove(entry)
                order.drop(entry)
            }
            let (oldest, count) = (order.oldest, order.count)
            #expect(oldest == expected.first)
            #expect(count == expected.count)
        }
    }
}
