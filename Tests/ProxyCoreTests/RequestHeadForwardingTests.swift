import HTTPWire
import ProxyCore
import Testing

@Suite struct RequestHeadForwardingTests {
    @Test("A head is written anew, byte by byte as its parts say")
    func wholeHead() throws {
        let request = head([
            "POST http://backend.example/a/b?c=d&e=%20 HTTP/1.1", "Host: backend.example", "User-Agent: app/1 (x; y)",
            "Accept:*/*", "X-Empty:", "X-Spaces:  \t two words \t", "Content-Length: 5", "Proxy-Connection: keep-alive",
        ])
        let forwarded = try Forwarding().forward(request)
        #expect(
            forwarded.text
                == head([
                    "POST /a/b?c=d&e=%20 HTTP/1.1", "Host: backend.example", "User-Agent: app/1 (x; y)",
                    "Accept: */*", "X-Empty: ", "X-Spaces: two words", "Content-Length: 5", viaLine, credentialLine,
                ]))
        #expect(!forwarded.carriesOwnCredential)
    }

    @Test(
        "The target becomes origin-form",
        arguments: [
            ("GET", "http://a.example/", "/"), ("GET", "http://a.example", "/"), ("GET", "https://a.example:8443", "/"),
            ("GET", "http://a.example?q=1", "/?q=1"), ("GET", "http://a.example?", "/?"),
            ("GET", "http://a.example/?", "/?"), ("GET", "http://a.example//x//", "//x//"),
            ("GET", "http://a.example/a/../b/%2e%2E/%00", "/a/../b/%2e%2E/%00"),
            ("GET", "http://a.example/http://b.example/", "/http://b.example/"),
            ("GET", "http://[2001:db8::1]:80/x", "/x"), ("GET", "/plain?x", "/plain?x"),
            ("OPTIONS", "http://a.example", "*"), ("OPTIONS", "http://a.example:81", "*"), ("OPTIONS", "*", "*"),
            ("OPTIONS", "http://a.example/", "/"), ("OPTIONS", "http://a.example?x", "/?x"),
            ("DELETE", "http://a.example/~u/;p=1", "/~u/;p=1"), ("M-SEARCH", "http://a.example/", "/"),
            ("options", "http://a.example", "/"),
        ])
    func target(_ method: String, _ target: String, _ expected: String) throws {
        let text = try Forwarding().forward(head(["\(method) \(target) HTTP/1.1", "Host: a.example"])).text
        #expect(text.hasPrefix("\(method) \(expected) HTTP/1.1\r\nHost: backend.example\r\n"), "\(text)")
    }

    @Test(
        "Host is the upstream's, never the app's",
        arguments: [
            (Origin(scheme: .https, host: "b.example", port: 443), "b.example"),
            (Origin(scheme: .https, host: "b.example", port: 80), "b.example:80"),
            (Origin(scheme: .https, host: "b.example", port: 8443), "b.example:8443"),
            (Origin(scheme: .http, host: "b.example", port: 80), "b.example"),
            (Origin(scheme: .http, host: "b.example", port: 443), "b.example:443"),
            (Origin(scheme: .http, host: "127.0.0.1", port: 8080), "127.0.0.1:8080"),
            (Origin(scheme: .http, host: "::1", port: 80), "[::1]"),
            (Origin(scheme: .https, host: "2001:db8::1", port: 1), "[2001:db8::1]:1"),
            (Origin(scheme: .https, host: "b.example", port: 65_535), "b.example:65535"),
        ])
    func host(_ origin: Origin, _ expected: String) throws {
        #expect(String(decoding: HostLine(origin).bytes, as: UTF8.self) == " HTTP/1.1\r\nHost: \(expected)\r\n")
        let request = head(["GET http://evil.example/ HTTP/1.1", "hOsT: evil.example:99", "X: y"])
        let text = try Forwarding(origin: origin).forward(request).text
        #expect(text.hasPrefix("GET / HTTP/1.1\r\nHost: \(expected)\r\nX: y\r\n"), "\(text)")
        #expect(!text.contains("evil"))
    }

    @Test(
        "A request of HTTP/1.0 goes on as 1.1, and Via says what it was",
        arguments: ["Host: a.example\r\n", "", "Host:\r\n"])
    func oldVersion(_ host: String) throws {
        let text = try Forwarding().forward("GET http://a.example/ HTTP/1.0\r\n\(host)Accept: x\r\n\r\n").text
        #expect(
            text
                == head([
                    "GET / HTTP/1.1", "Host: backend.example", "Accept: x", "Via: 1.0 attache", credentialLine,
                ]))
    }

    @Test("Earlier proxies stay in Via, before us")
    func via() throws {
        let lines = try Forwarding(credential: nil).fields("Via: 1.0 first", "X: y", "vIA: 1.1 second (c)")
        #expect(lines == ["Via: 1.0 first", "X: y", "vIA: 1.1 second (c)", "Via: 1.1 attache"])
    }

    @Test(
        "The framing is written anew from what was understood",
        arguments: [
            ("Content-Length: 0", "Content-Length: 0"), ("Content-Length: 007", "Content-Length: 7"),
            ("content-length:9223372036854775807", "Content-Length: 9223372036854775807"),
            ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
            ("TRANSFER-ENCODING: Chunked", "Transfer-Encoding: chunked"),
            ("Content-Length: 3\r\nConnection: Content-Length", "Content-Length: 3"),
            ("Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding", "Transfer-Encoding: chunked"),
            ("Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\nTE: trailers", "Transfer-Encoding: chunked"),
        ])
    func framing(_ fields: String, _ expected: String) throws {
        let lines = try Forwarding(credential: nil).fields("X: 1", fields, method: "POST")
        #expect(lines == ["X: 1", expected, viaLine])
    }

    @Test("A request without a body gets no framing", arguments: ["GET", "POST", "DELETE"])
    func noFraming(_ method: String) throws {
        #expect(try Forwarding(credential: nil).fields(method: method) == [viaLine])
    }

    @Test(
        "An expectation goes on only where the app waits for it",
        arguments: [
            ("1.1", "Content-Length: 3", "100-continue", true),
            ("1.1", "Transfer-Encoding: chunked", "100-Continue", true),
            ("1.1", "X: y", "100-continue", false), ("1.1", "Content-Length: 0", "100-continue", false),
            ("1.0", "Content-Length: 3", "100-continue", false), ("1.1", "Content-Length: 3", "200-maybe", false),
        ])
    func expectation(_ version: String, _ framing: String, _ value: String, _ isForwarded: Bool) throws {
        let request = head(["PUT http://a.example/ HTTP/\(version)", "Host: a", "Expect: \(value)", framing])
        let lines = try Forwarding().lines(request)
        #expect(lines.contains("Expect: \(value)") == isForwarded)
        #expect(lines.contains { $0.lowercased().hasPrefix("expect") } == isForwarded)
    }

    @Test(
        "Max-Forwards counts down for OPTIONS and TRACE, and is left alone elsewhere",
        arguments: [
            ("OPTIONS", "5", "4"), ("OPTIONS", "1", "0"), ("TRACE", "10", "9"), ("OPTIONS", "007", "6"),
            ("OPTIONS", "999999999", "999999998"), ("GET", "5", "5"), ("POST", "0", "0"), ("OPTIONS", "x", "x"),
            ("OPTIONS", "-1", "-1"), ("OPTIONS", "1 2", "1 2"), ("OPTIONS", "", ""),
        ])
    func maxForwards(_ method: String, _ value: String, _ expected: String) throws {
        let lines = try Forwarding(credential: nil).fields("Max-Forwards: \(value)", method: method)
        #expect(lines == ["Max-Forwards: \(expected)", viaLine])
    }

    @Test("Fields of one name stay in their order, with their spelling")
    func duplicates() throws {
        let fields = ["X-A: 1", "x-a: 2", "Cookie: a=b", "X-A: 1", "Cookie: c=d", "X-High: \u{e9}\u{ff}\u{80}"]
        let request = head(["GET http://a.example/ HTTP/1.1", "Host: a"] + fields)
        #expect(try Forwarding().lines(request) == fields + [viaLine, credentialLine])
    }
}
