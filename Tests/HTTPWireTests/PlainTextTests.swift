import HTTPWire
import Testing

@Suite("Text that a JSON string can hold without escapes")
struct PlainTextTests {
    @Test("Every byte counts at every position", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) {
        let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        for count in 1...17 {
            for position in 0..<count {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                bytes[position] = byte
                let isFound = ASCII.isPlainText(bytes.span)
                #expect(isFound == isPlain, "\(position) of \(count)")
            }
        }
    }
}
