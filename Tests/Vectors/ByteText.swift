/// Bytes as the vector files write them: visible ASCII and spaces stand for themselves, all else is escaped.
///
/// The escapes are `\r`, `\n`, `\t`, `\0`, `\\`, `\xHH`, and `\{COUNT BYTES}` for so many repetitions.
package enum ByteText {
    /// The bytes of a text, or what is wrong with it.
    package static func bytes(_ text: some StringProtocol) throws(Fault) -> [UInt8] {
        var reader = Reader(rest: Array(text.utf8)[...])
        return try reader.read(untilBrace: false)
    }

    /// The text of bytes, without repetitions.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\r"): text += "\\r"
            case UInt8(ascii: "\n"): text += "\\n"
            case UInt8(ascii: "\t"): text += "\\t"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0: text += "\\0"
            case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    package struct Fault: Error {
        package let message: String
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func read(untilBrace: Bool) throws(Fault) -> [UInt8] {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "}") where untilBrace: return bytes
                case UInt8(ascii: "\\"): bytes += try escape()
                case 0x20..<0x7F: bytes.append(byte)
                default: throw Fault(message: "the byte 0x\(String(byte, radix: 16)) has to be escaped")
                }
            }
            guard !untilBrace else { throw Fault(message: "a repetition has no closing brace") }
            return bytes
        }

        private mutating func escape() throws(Fault) -> [UInt8] {
            switch rest.popFirst() {
            case UInt8(ascii: "r"): return [0x0D]
            case UInt8(ascii: "n"): return [0x0A]
            case UInt8(ascii: "t"): return [0x09]
            case UInt8(ascii: "0"): return [0]
            case UInt8(ascii: "\\"): return [UInt8(ascii: "\\")]
            case UInt8(ascii: "x"):
                let digits = rest.prefix(2)
                rest = rest.dropFirst(2)
                guard digits.count == 2, let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                    throw Fault(message: "\\x wants two hexadecimal digits")
                }
                return [byte]
            case UInt8(ascii: "{"): return try repetition()
            default: throw Fault(message: "an escape is one of \\r \\n \\t \\0 \\\\ \\xHH \\{COUNT BYTES}")
            }
        }

        private mutating func repetition() throws(Fault) -> [UInt8] {
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            rest = rest.dropFirst(digits.count + 1)
            guard let count = Int(String(decoding: digits, as: UTF8.self)), 1...100_000 ~= count else {
                throw Fault(message: "a repetition begins with a count up to 100000 and a space")
            }
            let unit = try read(untilBrace: true)
            guard !unit.isEmpty else { throw Fault(message: "a repetition repeats nothing") }
            return Array(repeatElement(unit, count: count).joined())
        }
    }
}
