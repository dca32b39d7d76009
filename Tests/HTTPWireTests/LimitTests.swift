import HTTPWire
import Testing

@Suite struct LimitTests {
    private static let small = HeadLimits(headBytes: 1024, fieldCount: 3)

    /// A request of exactly so many bytes.
    private func sized(_ count: Int) -> [UInt8] {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let end = "\r\n\r\n"
        return latin1(start + String(repeating: "x", count: count - start.count - 4) + end)
            .prefix(count - 4) + latin1(end)
    }

    @Test("Limits are kept within their ranges")
    func ranges() {
        #expect(HeadLimits().headBytes == 65_536)
        #expect(HeadLimits().fieldCount == 100)
        #expect(HeadLimits(headBytes: -1, fieldCount: -1).headBytes == 1024)
        #expect(HeadLimits(headBytes: -1, fieldCount: -1).fieldCount == 1)
        #expect(HeadLimits(headBytes: .max, fieldCount: .max).headBytes == 1_048_576)
        #expect(HeadLimits(headBytes: .max, fieldCount: .max).fieldCount == FieldLines.capacity)
    }

    @Test("A head of exactly the limit is accepted, with or without bytes after it")
    func atTheLimit() {
        let bytes = sized(1024)
        #expect(bytes.count == 1024)
        #expect(Outcome.request(bytes, Self.small).verdict == .accepted(.none))
        #expect(Outcome.request(bytes + [65], Self.small).verdict == .accepted(.none))
        #expect(Outcome.request(Array(bytes.dropLast()), Self.small) == .incomplete)
    }

    @Test("A head one byte over the limit is refused before it is complete (RFC 6585 section 5)")
    func overTheLimit() {
        let bytes = sized(1025)
        #expect(Outcome.request(bytes, Self.small) == .refused(.headTooLarge))
        #expect(Outcome.request(Array(bytes.prefix(1024)), Self.small) == .refused(.headTooLarge))
        #expect(Outcome.request(Array(bytes.prefix(1023)), Self.small) == .incomplete)
        #expect(MessageError.headTooLarge.status == 431)
    }

    @Test(
        "A request line over the limit is refused for its target (RFC 9110 section 15.5.15)",
        arguments: ["GET /", "GET http://a.example/", "", "\r\nGET /"])
    func longTarget(_ start: String) {
        let bytes = latin1(start + String(repeating: "x", count: 1024))
        #expect(Outcome.request(bytes, Self.small) == .refused(.targetTooLong))
        #expect(MessageError.targetTooLong.status == 414)
    }

    @Test("A response head over the limit is refused, as is its status line")
    func longResponse() {
        let reason = latin1("HTTP/1.1 200 " + String(repeating: "x", count: 1024))
        #expect(Outcome.response(reason, answering: .get, Self.small) == .refused(.headTooLarge))
        let field = latin1("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1024))
        #expect(Outcome.response(field, answering: .get, Self.small) == .refused(.headTooLarge))
    }

    @Test(
        "As many fields as the limit are accepted, and one more is refused when it begins",
        arguments: [1, 3, 24, 25, 128])
    func fieldCount(_ limit: Int) {
        let limits = HeadLimits(fieldCount: limit)
        let fields = "Host: a\r\n" + String(repeating: "X: y\r\n", count: limit - 1)
        let start = "GET / HTTP/1.1\r\n" + fields
        #expect(Outcome.request(latin1(start + "\r\n"), limits).verdict == .accepted(.none))
        #expect(Outcome.request(latin1(start), limits) == .incomplete)
        #expect(Outcome.request(latin1(start + "X"), limits) == .refused(.tooManyFields))
        #expect(MessageError.tooManyFields.status == 431)
    }

    @Test("Twenty thousand fields are refused for their number")
    func manyFields() {
        let bytes = latin1("GET / HTTP/1.1\r\n" + String(repeating: "A:\r\n", count: 20_000) + "\r\n")
        #expect(Outcome.request(bytes, HeadLimits(headBytes: 1_048_576, fieldCount: 128)) == .refused(.tooManyFields))
    }

    @Test("Fields beyond those kept inline are all available", arguments: [23, 24, 25, 26, 60, 128])
    func everyField(_ count: Int) throws {
        var lines = (0..<count - 1).map { "X-\($0): \($0)\r\n" }
        lines.append("Host: last\r\n")
        let bytes = latin1("GET / HTTP/1.1\r\n" + lines.joined() + "\r\n")
        let head = try #require(
            try RequestHead.parse(bytes.span, limits: HeadLimits(fieldCount: 128)))
        #expect(head.fields.count == count)
        for index in 0..<count - 1 {
            #expect(text(bytes, head.fields[index].name) == "X-\(index)")
            #expect(text(bytes, head.fields[index].value) == "\(index)")
        }
        #expect(head.fields.first(.host).map { text(bytes, $0.value) } == "last")
    }
}
