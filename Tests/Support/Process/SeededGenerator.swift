/// A random generator whose numbers follow from its seed, so that a failing test can be run again (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// One of the elements; the fallback only where there are none.
    package mutating func pick<Element>(_ elements: [Element], else fallback: Element) -> Element {
        elements.randomElement(using: &self) ?? fallback
    }

    package mutating func chance(_ part: Int, of whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &self) < part
    }

    /// Cuts bytes into pieces of random sizes, small ones more often.
    package mutating func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let limit = [1, 3, 20, 400, 5000].randomElement(using: &self) ?? 1
            let end = min(bytes.count, start + Int.random(in: 1...limit, using: &self))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}
