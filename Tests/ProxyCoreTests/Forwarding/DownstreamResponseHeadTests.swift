import HTTPWire
import ProxyCore
import Testing

@Suite struct DownstreamResponseHeadTests {
    @Test("The head is appended to the buffer's content")
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

    private static let repeated = [
        ["Date: today", "Content-Length: 5", "Connection: close, X-A", "X-A: 1", "X-B:2"],
        ["Date: today", "Content-Length: 6", "Connection: keep-alive", "X-A: 1"],
        ["Date: today", "Proxy-Status: other; error=dns_error", "X-B: 2"],
        ["Date: today", "Transfer-Encoding: chunked", "X-B: 2"],
        ["Date: today", "Upgrade: websocket", "Location: http://backend.example/v1/x"],
        [],
        ["X-Long: \(String(repeating: "l", count: 1100))"],
    ]

    @Test("A response whose fields repeat those of an earlier one is forwarded like the first of its kind")
    func repeated() throws {
        let starts = [
            "HTTP/1.1 200 OK", "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified", "HTTP/1.0 200",
            "HTTP/1.1 426 Upgrade Required", "HTTP/1.1 502 ",
        ]
        let urls = UpstreamURLs(
            Origin(scheme: .http, host: "backend.example", port: 80), path: "", preservesHost: false)
        let mapping = URLMapping(urls)
        let request = latin1(head(["GET /x HTTP/1.1", "Host: 127.0.0.1:3129"]))
        let requestHead = try #require(try RequestHead.parse(request.span, limits: HeadLimits()))
        mapping.begin(urls, for: requestHead, in: request.span)
        let fields = FieldLines()
        for lines in Self.repeated + Self.repeated {
            for _ in 0..<9 {
                for start in starts {
                    for (method, mapping) in [(Method.get, nil), (.head, nil), (.get, mapping)] {
                        let bytes = latin1(head([start] + lines))
                        guard let first = Self.forwarded(bytes, method, mapping, FieldLines()) else { continue }
                        #expect(Self.forwarded(bytes, method, mapping, fields) == first)
                    }
                }
            }
        }
    }

    private static func forwarded(
        _ bytes: [UInt8], _ method: Method, _ mapping: URLMapping?, _ fields: FieldLines
    ) -> String? {
        guard
            let parsed = try? ResponseHead.parse(bytes.span, answering: method, limits: HeadLimits(), fields: fields)
        else { return nil }
        var out = OutputBuffer()
        _ = DownstreamResponseHead(
            parsed, in: bytes.span, answering: .init(version: .http11, isPersistent: true, isComplete: true),
            draining: false, mapping: mapping, to: &out)
        return out.text
    }
}
