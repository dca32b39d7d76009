import Testing

@testable import TokenClient

@Suite("A token server's response") struct SecrecyTests {
    @Test("shows no part of its body, as text or as numbers")
    func body() {
        let answer = Fetch.Answer(status: 200, body: Array("canary".utf8))
        var dumped = ""
        dump(answer, to: &dumped)
        for text in [dumped, "\(answer)", String(reflecting: answer), "\(Optional(answer) as Any)"] {
            #expect(!text.contains("canary") && !text.contains("\(UInt8(ascii: "y"))"), "\(text)")
        }
    }
}
