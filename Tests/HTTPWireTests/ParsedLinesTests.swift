import HTTPWire
import Support
import Testing

@Suite struct ParsedLinesTests {
    @Test("The field lines of a head are valid until another head is parsed into them; a later read traps")
    func stale() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(ParsedLinesTests.askLater) }
    }

    private static func askLater() throws {
        let fields = FieldLines()
        let bytes = latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits(), fields: fields))
        #expect(head.fields.contains(.host))
        let answer = latin1("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let response = try #require(
            try ResponseHead.parse(answer.span, answering: .get, limits: HeadLimits(), fields: FieldLines()))
        #expect(head.fields.count == 1 && response.fields.count == 1)
        // A head that is not whole yet has taken the lines too.
        #expect(try RequestHead.parse(bytes.span.extracting(..<20), limits: HeadLimits(), fields: fields) == nil)
        #expect(Trap.text { _ = head.fields.count }?.contains("after another head was parsed") == true)
        #expect(Trap.text { _ = response.fields.count } == nil)
    }
}
