import HTTPWire
import Testing

@Suite struct HeadWritingTests {
    @Test(
        "Numbers are written in decimal",
        arguments: [0, 1, 9, 10, 99, 100, 12_345, Int.max, -1, -10, Int.min])
    func decimal(_ number: Int) {
        var out = latin1("x")
        out.append(decimal: number)
        #expect(out == latin1("x\(number)"))
    }

    @Test("The largest length is written in decimal", arguments: [0, 10, UInt64(Int64.max), UInt64.max])
    func largeDecimal(_ number: UInt64) {
        var out: [UInt8] = []
        out.append(decimal: number)
        #expect(out == latin1("\(number)"))
    }

    @Test("Numbers are written in hexadecimal", arguments: [0, 1, 9, 10, 15, 16, 255, 4096, 65_535, Int.max])
    func hexadecimal(_ number: Int) {
        var out: [UInt8] = []
        out.append(hexadecimal: number)
        #expect(out == latin1(String(number, radix: 16)))
    }

    @Test("Text, bytes and ranges are copied as they are")
    func copies() {
        var out: [UInt8] = []
        let bytes = latin1("Host: a\u{E9}")
        out.append(text: "GET ")
        out.append(text: "")
        out.append(text: "\u{E9}")
        out.append(copying: bytes.span)
        out.append(copying: bytes.span, ByteRange(0, 4))
        out.append(copying: bytes.span, ByteRange(4, 4))
        out.append(copying: [UInt8]().span)
        out.appendCRLF()
        #expect(out == latin1("GET ") + Array("\u{E9}".utf8) + bytes + latin1("Host\r\n"))
    }

    @Test(
        "A field line is written in one form, however it came",
        arguments: ["X-A: b c", "X-A:b c", "X-A:  b c", "X-A:\tb c\t ", "X-A: b c "])
    func fieldLine(_ line: String) throws {
        let bytes = latin1(request(line))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        var out: [UInt8] = []
        out.append(head.fields[1], of: bytes.span)
        #expect(out == latin1("X-A: b c\r\n"))
    }

    @Test("An empty value is written in one form", arguments: ["X-A:", "X-A: ", "X-A:\t", "X-A:  "])
    func emptyValue(_ line: String) throws {
        let bytes = latin1(request(line))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        var out: [UInt8] = []
        out.append(head.fields[1], of: bytes.span)
        #expect(out == latin1("X-A: \r\n"))
    }
}
