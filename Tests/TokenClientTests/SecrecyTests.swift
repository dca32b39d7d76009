import Testing

@testable import TokenClient

@Suite("An answer of a token server") struct SecrecyTests {
    @Test("shows nothing of its body, as text or as numbers")
    func body() {
        let answer = Fetch.Answer(status: 200, body: Array("canary".utf8))
        var dumped = ""
        dump(answer, to: &dumped)
        for text in [dumped, "\(answer)", String(reflecting: answer), "\(Optional(answer) as Any)"] {
            #expect(!text.contains("canary") && !text.contains("\(UInt8(ascii: "y"))"), "\(text)")
        }
    }
}
