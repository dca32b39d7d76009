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
}
