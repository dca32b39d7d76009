/// Damages bytes as editors, merges and transfers do.
enum Mutation {
    private static let pieces = [
        "\n", " ", "  ", "\t", ":", ": ", "- ", "{", "}", "[", "]", ",", "'", "\"", "|", ">", "#", "&a ", "*a",
        "!!str ", "~", "\u{0}",
        "---\n", "? ", "%", "@", "\u{feff}", "é", "\r\n",
    ]

    static func apply(to bytes: [UInt8], using random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0..<max(1, bytes.count), using: &random)
            let end = min(bytes.count, at + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: at)
            case 2: bytes.removeSubrange(at..<end)
            case 3: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0..<bytes.count, using: &random))
            case 4: bytes.removeLast(bytes.count - max(1, at))
            default: bytes.swapAt(at, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return bytes
    }
}
