import HTTPWire
import Testing

@Suite struct HeadScannerTests {
    /// The number of bytes at which a scanner that gets them one by one says that it is time to parse.
    private func found(_ bytes: [UInt8], _ limits: HeadLimits = HeadLimits()) -> Int? {
        var scanner = HeadScanner(limits: limits)
        for count in 0...bytes.count where scanner.scan(bytes.span.extracting(0..<count)) { return count }
        return nil
    }

    @Test(
        "A head ends with its empty line, wherever it is cut",
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
        ])
    func end(_ text: String) {
        let bytes = latin1(text)
        #expect(found(bytes) == bytes.count)
        #expect(found(bytes + latin1("POST /next")) == bytes.count)
        for cut in 0..<bytes.count {
            var scanner = HeadScanner()
            let verdicts = [
                scanner.scan(bytes.span.extracting(0..<cut)), scanner.scan(bytes.span), scanner.scan(bytes.span),
            ]
            #expect(verdicts == [false, true, true])
        }
    }

    @Test(
        "A line end that will be refused is refused without waiting for the head's end",
        arguments: [("\n", 1), ("GET /\n", 6), ("GET / HTTP/1.1\r\nA: b\n", 21), ("\r\n\r\n", 4)])
    func bareLineFeed(_ text: String, _ count: Int) {
        #expect(found(latin1(text)) == count)
    }

    @Test(
        "An incomplete head is waited for",
        arguments: ["", "\r", "\r\n", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r", "A: b\r\n\r\r"])
    func unfinished(_ text: String) {
        #expect(found(latin1(text)) == nil)
    }

    @Test("A limit is reported although the head is incomplete")
    func limits() {
        let limits = HeadLimits(headBytes: 1024, fieldCount: 5)
        #expect(found([UInt8](repeating: 65, count: 2000), limits) == 1024)
        let lines = latin1("GET / HTTP/1.1\r\n" + String(repeating: "A:\r\n", count: 100))
        #expect((found(lines, limits) ?? .max) <= 16 + 4 * 7)
    }

    @Test("A scanner for another head begins anew")
    func restart() {
        var scanner = HeadScanner()
        let long = latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let short = latin1("GET / HTTP/1.1\r\n")
        let complete = latin1("GET / HTTP/1.1\r\n\r\n")
        let verdicts = [scanner.scan(long.span), scanner.scan(short.span), scanner.scan(complete.span)]
        #expect(verdicts == [true, false, true])
    }
}
