import ProxyConfiguration
import Testing

@Suite("The file with fields for the collector")
struct HeaderLinesTests {
    @Test("has a field in each line, beside comments and empty lines")
    func fields() throws {
        let text = "# collector\r\n\nX-Key:  one two \r\nauthorization:Basic a:b\n  \nEmpty:"
        let lines = try HeaderLines(Array(text.utf8))
        #expect(lines.fields.map(\.name) == ["X-Key", "authorization", "Empty"])
        #expect(lines.fields.map(\.value) == ["one two", "Basic a:b", ""])
    }

    @Test(
        "is refused with the number of the line, and without its value",
        arguments: [
            ("canary", "no \"Name: value\" in line 1"), ("a: b\n: canary", "in line 2"), ("a b: canary", "in line 1"),
            ("x: can\u{1}ary", "a control character in line 1"), ("x: can\rary", "a control character in line 1"),
            ("Content-Length: canary", "writes itself: Content-Length"), ("HOST: canary", "writes itself: HOST"),
            ("Transfer-Encoding: canary", "writes itself: Transfer-Encoding"),
        ])
    func refused(_ text: String, _ problem: String) {
        do throws(HeaderLines.Problem) {
            _ = try HeaderLines(Array(text.utf8))
            Issue.record("the lines were taken")
        } catch {
            #expect(error.message.contains(problem) && !error.message.contains("canary"), "\(error.message)")
        }
    }
}
