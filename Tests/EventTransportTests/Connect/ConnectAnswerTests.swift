import Testing

@testable import EventTransport

@Suite("The answer of a parent proxy to a CONNECT")
struct ConnectAnswerTests {
    private static let cases: [(String, ConnectAnswer)] = [
        ("HTTP/1.1 200 Connection established\r\n\r\n", .opened(end: 39)),
        ("HTTP/1.0 200 OK\r\nVia: a\r\nContent-Length: 5\r\n\r\n", .opened(end: 46)),
        ("HTTP/1.1 204\r\n\r\n", .opened(end: 16)),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .opened(end: 72)),
        ("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", .refused(status: 407)),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", .refused(status: 502)),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .refused(status: 101)),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", .refused(status: 302)),
        ("HTTP/1.1 2000 OK\r\n\r\n", .unreadable), ("HTTP/1.1 20 OK\r\n\r\n", .unreadable),
        ("HTTP/1.1  200 OK\r\n\r\n", .unreadable), ("HTTP/1.1 2x0 OK\r\n\r\n", .unreadable),
        ("HTTP/1.x 200 OK\r\n\r\n", .unreadable), ("HTTP/2 200\r\n\r\n", .unreadable),
        ("SSH-2.0-OpenSSH\r\n", .unreadable), ("\r\n\r\n", .unreadable), ("\u{16}\u{3}\u{1}", .unreadable),
    ]

    @Test("is read from its status, behind any interim answers", arguments: cases)
    func whole(_ text: String, _ answer: ConnectAnswer) {
        #expect(ConnectAnswer(Array(text.utf8)) == answer)
    }

    @Test("ends where the tunnel begins")
    func rest() {
        #expect(ConnectAnswer(Array("HTTP/1.1 200 OK\r\n\r\n\r\n\r\nSSH-2.0".utf8)) == .opened(end: 19))
    }

    @Test(
        "is awaited until its empty line", arguments: cases.filter { $0.0.hasPrefix("HTTP/1.") && $0.1 != .unreadable })
    func parts(_ text: String, _: ConnectAnswer) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(ConnectAnswer(Array(bytes[..<count])) == .incomplete, "\(count)") }
    }

    @Test("is the same however many bytes an earlier look has seen", arguments: cases)
    func known(_ text: String, _ answer: ConnectAnswer) {
        let bytes = Array(text.utf8)
        for known in 0..<bytes.count where ConnectAnswer(Array(bytes[..<known])) == .incomplete {
            #expect(ConnectAnswer(bytes, known: known) == answer, "\(known)")
        }
    }

    @Test("has at most 16 KiB")
    func limit() {
        let start = Array("HTTP/1.1 200 OK\r\nA: ".utf8)
        let filler = Array(repeating: UInt8(ascii: "a"), count: 16 * 1024)
        #expect(ConnectAnswer(start + filler.dropLast(start.count)) == .incomplete)
        #expect(ConnectAnswer(start + filler) == .unreadable)
    }
}
