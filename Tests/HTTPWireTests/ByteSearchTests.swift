import Testing

@testable import HTTPWire

/// The searches that look at sixteen bytes at once, compared with a look at each byte.
@Suite struct ByteSearchTests {
    private static let searches:
        [(name: String, isEnd: @Sendable (UInt8) -> Bool, find: @Sendable (Span<UInt8>, Int, Int) -> Int)] = [
            ("target", { $0 < 0x21 || $0 > 0x7E || $0 == 0x23 }, { $0.endOfTarget(from: $1, to: $2) }),
            (
                "target for the log", { $0 < 0x20 || $0 > 0x7E || $0 == 0x22 || $0 == 0x3F || $0 == 0x5C },
                { $0.endOfPlainTarget(from: $1, to: $2) }
            ),
            ("field content", { !ASCII.isFieldContent($0) }, { $0.endOfFieldContent(from: $1, to: $2) }),
            ("line feed", { $0 == 0x0A }, { $0.first(0x0A, from: $1, to: $2) }),
        ]

    @Test("A search finds each byte that ends it, at each position", arguments: 0..<4)
    func positions(_ search: Int) {
        let (name, isEnd, find) = Self.searches[search]
        for count in 0...50 {
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            let whole = find(plain.span, 0, count)
            #expect(whole == count, "\(name)")
            for position in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var bytes = plain
                    bytes[position] = byte
                    let expected = isEnd(byte) ? position : count
                    if find(bytes.span, 0, count) != expected {
                        Issue.record("\(name) \(byte) at \(position) of \(count)")
                    }
                }
            }
        }
    }

    @Test("A search begins and ends where it is told, and finds the first of several", arguments: 0..<4)
    func bounds(_ search: Int) {
        let (name, _, find) = Self.searches[search]
        for count in 1...40 {
            let bytes =
                [UInt8](repeating: 0x0A, count: 3) + [UInt8](repeating: 0x61, count: count) + [0x0A, 0x0A, 0x61]
            let (found, end) = (find(bytes.span, 3, bytes.count), find(bytes.span, 3, 3 + count))
            let empty = find(bytes.span, 4, 4)
            #expect(found == 3 + count && end == 3 + count && empty == 4, "\(name)")
        }
    }

    @Test("Texts are equal if all of their bytes are")
    func equality() {
        for count in 0...40 {
            let text = (0..<count).map { UInt8($0) }
            let isSame = text.span.isEqual(to: text.span)
            for position in 0..<count {
                var other = text
                other[position] ^= 0x80
                let isOther = !text.span.isEqual(to: other.span)
                #expect(isOther)
            }
            let longer = text + [0]
            let isLonger = !text.span.isEqual(to: longer.span)
            #expect(isSame && isLonger)
        }
    }
}
