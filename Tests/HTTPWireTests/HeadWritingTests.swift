import HTTPWire
import Testing

@Suite struct HeadWritingTests {
    @Test(
        "Numbers are written in decimal",
        arguments: [0, 1, 9, 10, 99, 100, 12_345, Int.max, -1, -10, Int.min])
    func decimal(_ number: Int) {
        var out = OutputBuffer()
        out.append(UInt8(ascii: "x"))
        out.append(decimal: number)
        let written = out.copied()
        #expect(written == latin1("x\(number)"))
    }

    @Test("Numbers of every length are written in decimal, and as thousandths")
    func digits() {
        let numbers =
            Array(UInt64(0)...10_200)
            + (1...19).flatMap { length in
                let power = (0..<length).reduce(UInt64(1)) { product, _ in product * 10 }
                return [power - 1, power, power + 1, power / 3]
            }
        for number in numbers {
            var out = OutputBuffer()
            out.append(decimal: number)
            out.append(UInt8(ascii: " "))
            out.append(thousandths: number)
            let fraction = String(number % 1000)
            let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
            let written = out.copied()
            #expect(written == latin1("\(number) \(number / 1000).\(padded)"))
        }
    }

    @Test("The largest length is written in decimal", arguments: [0, 10, UInt64(Int64.max), UInt64.max])
    func largeDecimal(_ number: UInt64) {
        var out = OutputBuffer()
        out.append(decimal: number)
        let written = out.copied()
        #expect(written == latin1("\(number)"))
    }

    @Test("Numbers are written in hexadecimal", arguments: [0, 1, 9, 10, 15, 16, 255, 4096, 65_535, Int.max])
    func hexadecimal(_ number: Int) {
        var out = OutputBuffer()
        out.append(hexadecimal: number)
        let written = out.copied()
        #expect(written == latin1(String(number, radix: 16)))
    }

    @Test("Text, bytes and ranges are copied as they are")
    func copies() {
        var out = OutputBuffer()
        let bytes = latin1("Host: a\u{E9}")
        out.append(text: "GET ")
        out.append(text: "")
        out.append(text: "\u{E9}")
        out.append(copying: bytes.span)
        out.append(copying: bytes.span, ByteRange(0, 4))
        out.append(copying: bytes.span, ByteRange(4, 4))
        out.append(copying: [UInt8]().span)
        out.appendCRLF()
        let written = out.copied()
        #expect(written == latin1("GET ") + Array("\u{E9}".utf8) + bytes + latin1("Host\r\n"))
    }

    @Test("A buffer grows without losing a byte")
    func growing() {
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        var out = OutputBuffer()
        for byte in bytes { out.append(byte) }
        let written = out.copied()
        #expect(written == bytes)
    }

    @Test("A buffer can be used again, with or without its memory", arguments: [Int.max, 100])
    func again(_ limit: Int) {
        var out = OutputBuffer()
        out.append(copying: [UInt8](repeating: 1, count: 1000).span)
        out.removeAll(keepingAtMost: limit)
        out.append(text: "again")
        let written = out.copied()
        #expect(written == Array("again".utf8))
    }

    @Test(
        "A field line is written in one form, however it arrived",
        arguments: ["X-A: b c", "X-A:b c", "X-A:  b c", "X-A:\tb c\t ", "X-A: b c "])
    func fieldLine(_ line: String) throws {
        let bytes = latin1(request(line))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        var out = OutputBuffer()
        out.append(head.fields[1], of: bytes.span)
        let written = out.copied()
        #expect(written == latin1("X-A: b c\r\n"))
    }

    @Test("An empty value is written in one form", arguments: ["X-A:", "X-A: ", "X-A:\t", "X-A:  "])
    func emptyValue(_ line: String) throws {
        let bytes = latin1(request(line))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        var out = OutputBuffer()
        out.append(head.fields[1], of: bytes.span)
        let written = out.copied()
        #expect(written == latin1("X-A: \r\n"))
    }
}

extension OutputBuffer {
    /// What it holds, for comparing.
    borrowing func copied() -> [UInt8] {
        withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return copy
        }
    }
}
