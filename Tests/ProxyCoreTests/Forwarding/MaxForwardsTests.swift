import HTTPWire
import ProxyCore
import Testing

@Suite struct MaxForwardsTests {
    @Test(
        "Max-Forwards counts for OPTIONS and TRACE only, and only if it is a number",
        arguments: [
            ("OPTIONS", "Max-Forwards: 0", 0), ("TRACE", "max-forwards:10", 10), ("OPTIONS", "MAX-FORWARDS: 007 ", 7),
            ("OPTIONS", "Max-Forwards: 999999999", 999_999_999), ("GET", "Max-Forwards: 0", nil),
            ("POST", "Max-Forwards: 1", nil), ("options", "Max-Forwards: 1", nil), ("OPTIONS", "X: 1", nil),
            ("OPTIONS", "Max-Forwards:", nil), ("OPTIONS", "Max-Forwards: -1", nil),
            ("OPTIONS", "Max-Forwards: +1", nil), ("OPTIONS", "Max-Forwards: 1.0", nil),
            ("OPTIONS", "Max-Forwards: 1, 2", nil), ("OPTIONS", "Max-Forwards: 0x1", nil),
            ("TRACE", "Max-Forwards: 99999999999999999999", nil), ("TRACE", "Max-Forwards: \u{b2}", nil),
            ("OPTIONS", "Max-Forwards: 3\r\nMax-Forwards: 0", 0),
        ] as [(String, String, Int?)])
    func number(_ method: String, _ field: String, _ expected: Int?) throws {
        let bytes = latin1(head(["\(method) http://a.example/ HTTP/1.1", "Host: a", field]))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(MaxForwards.of(head, in: bytes.span) == expected)
    }
}
