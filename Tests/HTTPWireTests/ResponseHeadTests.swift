import HTTPWire
import Testing

@Suite struct ResponseHeadTests {
    @Test("A response has one form and one end", arguments: ResponseVectors.all)
    func verdict(_ vector: Vector) {
        #expect(Outcome.response(vector.bytes, answering: vector.method).verdict == vector.verdict)
    }

    @Test("A head tells all that its text says")
    func wholeHead() throws {
        let bytes = latin1(
            "HTTP/1.1 404 Not Found\r\nKeep-Alive: timeout=5, max=100\r\nContent-Length: 2\r\nDate: x\r\n\r\nno")
        let head = try #require(
            try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        #expect(head.byteCount == bytes.count - 2)
        #expect(head.version == .http11)
        #expect(head.status == 404)
        #expect(text(bytes, head.reason) == "Not Found")
        #expect(head.fields.count == 3)
        #expect(head.fields[2].known == .date)
        #expect(head.framing == .length(2))
        #expect(head.keepAliveTimeout == 5)
        #expect(head.isPersistent)
    }

    @Test(
        "The timeout of Keep-Alive is a hint, and nothing in it is refused",
        arguments: [
            ("timeout=5", 5), ("max=3, timeout=60", 60), ("TIMEOUT=7", 7), (" timeout=8 ,max=1", 8),
            ("timeout=0", 0), ("timeout=99999999999999999999", 86_400),
            ("timeout", nil), ("timeout=", nil), ("timeout=x", nil), ("timeout=5s", nil), ("timeout=-1", nil),
            ("", nil), (",,", nil), ("max=100", nil), ("xtimeout=5", nil), ("t", nil),
        ] as [(String, Int?)])
    func keepAlive(_ value: String, _ expected: Int?) throws {
        let bytes = latin1(response("Keep-Alive: \(value)", "Content-Length: 0"))
        let head = try #require(
            try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        #expect(head.keepAliveTimeout == expected)
    }

    @Test("A response that ends with its connection leaves none to use again")
    func untilCloseIsNotPersistent() throws {
        let bytes = latin1(response("Connection: keep-alive"))
        let head = try #require(
            try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        #expect(head.framing == .untilClose)
        #expect(!head.isPersistent)
    }
}
