import HTTPWire
import Testing

@Suite("The target of a request in a line of the access log")
struct TargetTextTests {
    @Test("Every byte counts at every position", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) {
        for count in 1...17 {
            for position in 0..<count {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                bytes[position] = byte
                let (before, after) = (bytes[..<position], bytes[(position + 1)...])
                let expected: [UInt8] =
                    switch byte {
                    case UInt8(ascii: "?"): Array(before)
                    case UInt8(ascii: "\""), UInt8(ascii: "\\"): before + [UInt8(ascii: "\\"), byte] + after
                    case 0x20..<0x7F: bytes
                    default: before + [UInt8(ascii: "?")] + after
                    }
                #expect(Self.text(bytes, 0, count) == expected, "\(position) of \(count)")
            }
        }
    }

    @Test("A query is left out, also behind a byte that needs an escape")
    func query() {
        let bytes = Array("xhttp://a/\"b?canary\"=1".utf8)
        #expect(Self.text(bytes, 1, bytes.count) == Array("http://a/\\\"b".utf8))
    }

    private static func text(_ bytes: [UInt8], _ lower: Int, _ upper: Int) -> [UInt8] {
        var out = OutputBuffer()
        out.append(targetForLog: bytes.span, ByteRange(lower, upper))
        return out.withSpan { span in
            var copy: [UInt8] = []
            copy.append(copying: span)
            return copy
        }
    }
}
