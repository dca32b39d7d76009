import HTTPWire
import Testing

@Suite struct RequestHeadTests {
    static let vectors =
        RequestLineVectors.all + TargetVectors.all + FieldVectors.all + RequestFramingVectors.all
        + ConnectionVectors.all

    @Test("A request line has one form", arguments: RequestLineVectors.all)
    func requestLine(_ vector: Vector) {
        #expect(Outcome.request(vector.bytes).verdict == vector.verdict)
    }

    @Test("A target has one of four forms and names a host that means one thing", arguments: TargetVectors.all)
    func target(_ vector: Vector) {
        #expect(Outcome.request(vector.bytes).verdict == vector.verdict)
    }

    @Test("A field line is a token, a colon and a value, and Host is there once", arguments: FieldVectors.all)
    func field(_ vector: Vector) {
        #expect(Outcome.request(vector.bytes).verdict == vector.verdict)
    }

    @Test("A request has one end or none", arguments: RequestFramingVectors.all)
    func framing(_ vector: Vector) {
        #expect(Outcome.request(vector.bytes).verdict == vector.verdict)
    }

    @Test("Connection is a list of tokens", arguments: ConnectionVectors.all)
    func connection(_ vector: Vector) {
        #expect(Outcome.request(vector.bytes).verdict == vector.verdict)
    }

    @Test("A head tells all that its text says")
    func wholeHead() throws {
        let bytes = latin1(
            "\r\nPUT http://[2001:db8::1]:8080?q=1 HTTP/1.1\r\nHost: x.example\r\nX-A: \t b c \r\n"
                + "Content-Length: 12\r\nConnection: close, X-A\r\nExpect: 100-Continue\r\n\r\nbody")
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.byteCount == bytes.count - 4)
        #expect(head.method == .put)
        #expect(text(bytes, head.methodName) == "PUT")
        #expect(text(bytes, head.targetText) == "http://[2001:db8::1]:8080?q=1")
        #expect(HeadSummary.describe(head.target, bytes) == "http [2001:db8::1] 8080 ?q=1")
        #expect(head.version == .http11)
        #expect(head.fields.count == 5)
        #expect(text(bytes, head.fields[1].name) == "X-A")
        #expect(text(bytes, head.fields[1].value) == "b c")
        #expect(head.fields[1].known == .other)
        #expect(head.framing == .length(12))
        #expect(head.connection == [.close, .namesFields])
        #expect(head.expectsContinue)
        #expect(!head.isPersistent)
    }

    @Test(
        "A target is taken apart without a change",
        arguments: [
            ("GET", "/", "origin /"),
            ("GET", "//x/y?z=/%2e%2E", "origin //x/y?z=/%2e%2E"),
            ("OPTIONS", "*", "asterisk"),
            ("OPTIONS", "http://a.example", "http a.example - "),
            ("GET", "http://a.example", "http a.example - "),
            ("GET", "http://A.Example/", "http A.Example - /"),
            ("GET", "HTTPS://a.example:443/x?y", "https a.example 443 /x?y"),
            ("GET", "http://a.example?y=http://b.example/", "http a.example - ?y=http://b.example/"),
            ("GET", "http://a.example:00080/", "http a.example 80 /"),
            ("GET", "http://[::ffff:192.0.2.1]/", "http [::ffff:192.0.2.1] - /"),
            ("CONNECT", "a.example:443", "authority a.example 443"),
            ("CONNECT", "[::1]:1", "authority [::1] 1"),
        ])
    func targetParts(_ method: String, _ target: String, _ expected: String) throws {
        let bytes = latin1(head("\(method) \(target) HTTP/1.1", "Host: x"))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(HeadSummary.describe(head.target, bytes) == expected)
    }

    @Test(
        "A client waits for a 100 only in 1.1 and only with a body to send",
        arguments: [
            ("1.1", "Content-Length: 1\r\nExpect: 100-continue", true),
            ("1.1", "Transfer-Encoding: chunked\r\nExpect: 100-CONTINUE", true),
            ("1.1", "Content-Length: 0\r\nExpect: 100-continue", false),
            ("1.1", "Expect: 100-continue", false),
            ("1.0", "Content-Length: 1\r\nExpect: 100-continue", false),
            ("1.1", "Content-Length: 1\r\nExpect: 100-continue, x", false),
            ("1.1", "Content-Length: 1\r\nExpect: 200-ok", false),
        ])
    func expectation(_ version: String, _ fields: String, _ expected: Bool) throws {
        let bytes = latin1("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n")
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.expectsContinue == expected)
    }
}
