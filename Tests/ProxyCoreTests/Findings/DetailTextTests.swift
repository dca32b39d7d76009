import Testing

@testable import ProxyCore

@Suite("The detail of a finding")
struct DetailTextTests {
    @Test("A long one is cut, with an ellipsis")
    func long() {
        let text = String(repeating: "é", count: 5000)
        #expect(Finding(.weakSecret, .warning, text).detail == String(repeating: "é", count: 1000) + "…")
        #expect(Finding(.weakSecret, .warning, String(text.prefix(1000))).detail == text.prefix(1000))
    }

    @Test("Problems stand in one line, as far as they fit, with the number of the others")
    func problems() {
        #expect(DetailText.list(ofLines: "") == "")
        #expect(DetailText.list(ofLines: "one\ntwo") == "one; two")
        let lines = (1...300).map { "a.yaml:\($0):1: unknown key" }
        let list = DetailText.list(ofLines: lines.joined(separator: "\n"))
        #expect(list.count < 950)
        let kept = list.split(separator: "; ").count - 1
        #expect(list.hasSuffix("a.yaml:\(kept):1: unknown key; … and \(300 - kept) more problems"))
        let long = String(repeating: "x", count: 2000)
        #expect(
            DetailText.list(ofLines: "\(long)\ntwo") == String(repeating: "x", count: 900) + "…; … and 1 more problem")
    }
}
