import Testing

@testable import ProxyServer

@Suite("The collector's answer to a batch")
struct UnitExportAnswerTests {
    @Test(
        "says how many spans it rejected, at most all",
        arguments: [
            ("", 0), ("{}", 0), ("nonsense", 0), (#"{"partialSuccess":{}}"#, 0), (#"{"partialSuccess":null}"#, 0),
            (#"{"partialSuccess":{"rejectedSpans":"3"}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":3}}"#, 3),
            (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, 9), (#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0),
            (#"{"partialSuccess":{"rejectedSpans":"x"}}"#, 0),
        ])
    func rejected(_ body: String, _ count: Int) {
        #expect(ExportAnswer(Array(body.utf8), of: 9).rejectedCount == count)
    }

    @Test("says why in the collector's own characters, at most 200")
    func message() {
        let text =
            #"{"partialSuccess":{"rejectedSpans":1,"errorMessage":"a\u001b[1m\n"# + String(repeating: "x", count: 300)
        let answer = ExportAnswer(Array((text + #""}}"#).utf8), of: 9)
        #expect(answer.message.hasPrefix("a\u{1b}[1m\nxxx") && answer.message.count == 200)
    }
}
