import ProxyConfiguration
import Testing

@testable import ProxyServer

@Suite struct UnitLogLevelPageTests {
    private func change(query: String = "", body: String = "") -> (EmbeddedServer.Response, LogLevel?) {
        var level: LogLevel?
        let request = EmbeddedServer.Request(
            method: "PUT", path: "/log-level", query: query, authorization: nil, body: Array(body.utf8))
        let answer = LogLevelPage(current: .info).change(request) { level = $0 }
        return (answer, level)
    }

    @Test(
        "The body or the query names the level",
        arguments: [
            ("", "debug", .debug), ("", "debug\n", .debug), ("level=error", "", .error),
            ("a=b&level=notice", "notice\n", .notice), ("", " info ", .info),
        ] as [(String, String, LogLevel)])
    func change(query: String, body: String, expected: LogLevel) {
        let (answer, level) = change(query: query, body: body)
        #expect(level == expected)
        #expect(answer.status == 200)
        #expect(answer.body.hasPrefix("level \(expected.rawValue), was info; "))
    }

    @Test(
        "Another word changes nothing, and the answer names the known ones",
        arguments: ["", "debgu", "DEBUG!", "\u{1b}[2J", "d e b u g"])
    func unknown(_ word: String) {
        let (answer, level) = change(body: word)
        #expect(level == nil)
        #expect(answer.status == 400)
        #expect(answer.body.contains("write one of debug, info, notice, warning, error as the body"))
        #expect(answer.body.hasPrefix(word.isEmpty ? "write" : "\""))
        #expect(answer.body.contains("did you mean debug?") == word.lowercased().hasPrefix("deb"))
        #expect(!answer.body.contains("\u{1b}"))
    }

    @Test("A body and a query that name different levels change nothing")
    func different() {
        let (answer, level) = change(query: "level=notice", body: "debug")
        #expect(level == nil)
        #expect(answer.status == 400)
        #expect(answer.body == "the body and ?level= name different levels; leave one of them out\n")
    }

    @Test("Of a long word, the answer repeats the beginning")
    func long() {
        let (answer, _) = change(body: String(repeating: "x", count: 5000))
        let shown = String(repeating: "x", count: 40)
        #expect(answer.body.hasPrefix("\"\(shown)\" is not a level; write one of debug"))
    }

    @Test("The page shows the level")
    func page() { #expect(LogLevelPage(current: .warning).response.body == "warning\n") }
}
