import HTTPWire
import Support
import Testing
import Vectors

/// Heads that are parsed into lines which earlier heads have used.
@Suite struct KnownLinesTests {
    private static let heads = VectorTests.messages.filter { !$0.isBody }.map(\.input)

    @Test("A head has the same meaning however often it was parsed before")
    func repeated() {
        for bytes in Self.heads {
            let (request, response) = (Outcome.request(bytes), Outcome.response(bytes, answering: .get))
            let (requestFields, responseFields) = (FieldLines(), FieldLines())
            for _ in 0..<18 {
                #expect(Outcome.request(bytes, fields: requestFields) == request)
                #expect(Outcome.response(bytes, answering: .get, fields: responseFields) == response)
            }
        }
    }

    @Test("A head has the same meaning whatever was parsed before it", arguments: 0..<4)
    func mixed(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (requestFields, responseFields) = (FieldLines(), FieldLines())
        for _ in 0..<4000 {
            let bytes = try #require(Self.heads.randomElement(using: &random))
            let cut =
                Int.random(in: 0...3, using: &random) == 0
                ? Int.random(in: 0...bytes.count, using: &random) : bytes.count
            let part = Array(bytes[..<cut])
            #expect(Outcome.request(part, fields: requestFields) == Outcome.request(part))
            #expect(
                Outcome.response(part, answering: .get, fields: responseFields)
                    == Outcome.response(part, answering: .get))
        }
    }

    @Test("A line that changes by one byte is parsed again", arguments: [8, 9, 15, 16, 17, 127, 128, 129, 130])
    func changed(_ count: Int) {
        let fields = FieldLines()
        let value = String(repeating: "v", count: count - 5)
        let head = latin1("GET / HTTP/1.1\r\nHost: h\r\nA: \(value)\r\n\r\n")
        let line = latin1("GET / HTTP/1.1\r\nHost: h\r\n").count
        for _ in 0..<9 { #expect(Outcome.request(head, fields: fields) == Outcome.request(head)) }
        for index in line..<head.count {
            for byte in [UInt8(ascii: "x"), 0, 0x0A, 0x0D, 0x20, 0x3A] {
                var other = head
                other[index] = byte
                #expect(Outcome.request(other, fields: fields) == Outcome.request(other))
            }
        }
    }
}
