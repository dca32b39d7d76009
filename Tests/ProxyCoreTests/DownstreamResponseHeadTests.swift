import HTTPWire
import ProxyCore
import Testing

@Suite struct DownstreamResponseHeadTests {
    /// What the app is sent for a response, and how its body is framed.
    private struct Written {
        let text: String
        let framing: BodyFraming
        let isPersistent: Bool

        init(
            _ response: String, answering method: Method = .get, version: HTTPVersion = .http11,
            isPersistent: Bool = true, isComplete: Bool = true, draining: Bool = false
        ) throws {
            let bytes = latin1(response)
            let head = try #require(
                try ResponseHead.parse(bytes.span, answering: method, limits: HeadLimits()))
            #expect(head.byteCount == bytes.count)
            var out = OutputBuffer()
            let written = DownstreamResponseHead(
                head, in: bytes.span,
                answering: .init(version: version, isPersistent: isPersistent, isComplete: isComplete),
                draining: draining, to: &out)
            text = out.text
            framing = written.framing
            self.isPersistent = written.isPersistent
        }
    }

    @Test("A head is written anew, byte by byte as its parts say")
    func wholeHead() throws {
        let written = try Written(
            head([
                "HTTP/1.1 200 All is well", "Content-Type:text/plain", "ETag: \"x\"", "content-length: 012",
                "Set-Cookie: a=1", "Set-Cookie: b=2", "X-High: \u{e9}", "X-Empty:",
            ]))
        #expect(
            written.text
                == head([
                    "HTTP/1.1 200 All is well", "Content-Type: text/plain", "ETag: \"x\"", "Set-Cookie: a=1",
                    "Set-Cookie: b=2", "X-High: \u{e9}", "X-Empty: ", "Via: 1.1 attache", "Content-Length: 12",
                ]))
        #expect(written.framing == .length(12))
        #expect(written.isPersistent)
    }

    @Test(
        "The status line keeps status and reason and is always HTTP/1.1",
        arguments: [
            ("HTTP/1.1 404 Not Found", "HTTP/1.1 404 Not Found"), ("HTTP/1.1 200 ", "HTTP/1.1 200 "),
            ("HTTP/1.0 599 Odd \u{fc}", "HTTP/1.1 599 Odd \u{fc}"), ("HTTP/1.1 299 a  b", "HTTP/1.1 299 a  b"),
        ])
    func statusLine(_ line: String, _ expected: String) throws {
        #expect(try Written(head([line, "Content-Length: 0"])).text.hasPrefix("\(expected)\r\n"))
    }

    private static let chunked = "Transfer-Encoding: chunked"
    private static let close = "Connection: close"
    private static let keepAlive = "Connection: keep-alive"

    @Test(
        "A body is framed as the app's version can understand it",
        arguments: [
            ("Content-Length: 5", HTTPVersion.http11, BodyFraming.length(5), ["Content-Length: 5"]),
            ("Content-Length: 5", .http10, .length(5), ["Content-Length: 5", keepAlive]),
            ("Content-Length: 0", .http11, .length(0), ["Content-Length: 0"]),
            ("Transfer-Encoding: chunked", .http11, .chunked, [chunked]),
            ("Transfer-Encoding: Chunked", .http10, .untilClose, [close]),
            ("X: y", .http11, .chunked, ["X: y", chunked]), ("X: y", .http10, .untilClose, ["X: y", close]),
        ])
    func framing(_ field: String, _ version: HTTPVersion, _ framing: BodyFraming, _ lines: [String]) throws {
        let written = try Written(head(["HTTP/1.1 200 OK", field]), version: version)
        #expect(written.framing == framing)
        #expect(written.isPersistent == (framing != .untilClose))
        let own = lines.filter { $0 != field || !field.hasPrefix("X") }
        let fields = field.hasPrefix("X") ? [field] : []
        #expect(written.text == head(["HTTP/1.1 200 OK"] + fields + ["Via: 1.1 attache"] + own))
    }

    @Test(
        "A response of HTTP/1.0 ends by close or by its length, and Via says that it was one",
        arguments: [("Content-Length: 5", BodyFraming.length(5)), ("X: y", .chunked)])
    func oldBackend(_ field: String, _ framing: BodyFraming) throws {
        let written = try Written(head(["HTTP/1.0 200 OK", field, "Connection: close"]))
        #expect(written.framing == framing)
        #expect(written.text.contains("\r\nVia: 1.0 attache\r\n"))
        #expect(written.isPersistent)
        #expect(!written.text.contains("Connection"))
    }

    @Test(
        "A response without a body says how long it would be only where that means something",
        arguments: [
            ("200 OK", Method.head, "Content-Length: 12", ["Content-Length: 12"]),
            ("304 Not Modified", .get, "Content-Length: 12", ["Content-Length: 12"]),
            ("304 Not Modified", .head, "content-length:12", ["content-length: 12"]),
            ("204 No Content", .get, "Content-Length: 0", []), ("204 No Content", .head, "Content-Length: 12", []),
            ("200 OK", .head, "Transfer-Encoding: chunked", []),
            ("304 Not Modified", .get, "Transfer-Encoding: chunked", []),
        ])
    func noBody(_ status: String, _ method: Method, _ field: String, _ lines: [String]) throws {
        for version in [HTTPVersion.http11, .http10] {
            let written = try Written(head(["HTTP/1.1 \(status)", field]), answering: method, version: version)
            #expect(written.framing == .none)
            #expect(written.isPersistent)
            let end = version == .http10 ? [Self.keepAlive] : []
            #expect(written.text == head(["HTTP/1.1 \(status)"] + lines + ["Via: 1.1 attache"] + end))
        }
    }

    @Test(
        "The app is told that its connection closes, for each reason there is",
        arguments: [
            (false, true, false), (true, false, false), (true, true, true), (false, false, true),
        ])
    func closes(_ isPersistent: Bool, _ isComplete: Bool, _ draining: Bool) throws {
        for version in [HTTPVersion.http11, .http10] {
            let written = try Written(
                head(["HTTP/1.1 200 OK", "Content-Length: 1", "Connection: keep-alive"]), version: version,
                isPersistent: isPersistent, isComplete: isComplete, draining: draining)
            #expect(!written.isPersistent)
            #expect(
                written.text
                    == head(["HTTP/1.1 200 OK", "Via: 1.1 attache", "Content-Length: 1", "Connection: close"]))
        }
    }

    @Test("A backend that closes its connection does not close the app's")
    func backendCloses() throws {
        let written = try Written(head(["HTTP/1.1 200 OK", "Connection: close", "Content-Length: 1"]))
        #expect(written.isPersistent)
        #expect(written.text == head(["HTTP/1.1 200 OK", "Via: 1.1 attache", "Content-Length: 1"]))
    }

    @Test("A hop-by-hop field ends here", arguments: HopByHopFieldTests.names)
    func hopByHop(_ name: String) throws {
        let written = try Written(head(["HTTP/1.1 200 OK", "A: 1", "\(name): x", "Content-Length: 1", "B: 2"]))
        #expect(written.text == head(["HTTP/1.1 200 OK", "A: 1", "B: 2", "Via: 1.1 attache", "Content-Length: 1"]))
    }

    @Test("A field that Connection names ends here, but not the framing")
    func named() throws {
        let written = try Written(
            head([
                "HTTP/1.1 200 OK", "x-secret: 1", "Connection: X-Secret, Content-Length, Via", "Content-Length: 1",
                "Via: 1.1 inner", "B: 2",
            ]))
        #expect(written.text == head(["HTTP/1.1 200 OK", "B: 2", "Via: 1.1 attache", "Content-Length: 1"]))
        #expect(written.framing == .length(1))
    }

    @Test("What a backend says to the app about its credential is passed on")
    func challenge() throws {
        let written = try Written(
            head([
                "HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Bearer error=\"invalid_token\"", "Retry-After: 3",
                "Content-Length: 0",
            ]))
        #expect(written.text.contains("\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\nRetry-After: 3\r\n"))
    }

    @Test(
        "An interim response has neither framing nor a say about the connection",
        arguments: ["100 Continue", "103 Early Hints", "102 Processing"])
    func interim(_ status: String) throws {
        let bytes = latin1(
            head([
                "HTTP/1.1 \(status)", "Link: </x>; rel=preload", "Connection: close, X-Hop", "X-Hop: 1",
                "Content-Length: 5", "Keep-Alive: 1",
            ]))
        let parsed = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        var out = OutputBuffer()
        DownstreamResponseHead.appendInterim(parsed, in: bytes.span, to: &out)
        #expect(out.text == head(["HTTP/1.1 \(status)", "Link: </x>; rel=preload", "Via: 1.1 attache"]))
    }

    @Test("The head is added to what the buffer holds")
    func appended() throws {
        let bytes = latin1(head(["HTTP/1.1 204 No Content"]))
        let parsed = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        var out = OutputBuffer()
        out.append(text: "before")
        _ = DownstreamResponseHead(
            parsed, in: bytes.span, answering: .init(version: .http11, isPersistent: true, isComplete: true),
            draining: false, to: &out)
        #expect(out.text == "before" + head(["HTTP/1.1 204 No Content", "Via: 1.1 attache"]))
    }
}
