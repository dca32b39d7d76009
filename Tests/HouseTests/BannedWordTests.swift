import Testing

@Suite("Banned words")
struct BannedWordTests {
    @Test("A banned word occurs only where an exception allows it", arguments: BannedWord.allCases)
    func onlyWhereExcepted(word: BannedWord) {
        for file in SourceFile.shipped where !Exception.all.contains(where: { $0.covers(word, in: file) }) {
            let lines = word.lines(in: file)
            guard !lines.isEmpty else { continue }
            Issue.record("\(file.path), lines \(lines): \(word.rawValue): \(word.reason)")
        }
    }

    @Test("Every exception is needed")
    func noIdleException() {
        for exception in Exception.all {
            let isNeeded = SourceFile.shipped.contains { file in
                exception.covers(exception.word, in: file) && !exception.word.lines(in: file).isEmpty
            }
            #expect(isNeeded, "\(exception.place): \(exception.word.rawValue) stands there no more")
        }
    }

    @Test(
        "The scanner sees only code, and every banned word in it",
        arguments: [
            ("import Foundation", BannedWord.foundation), ("public import class Foundation.Bundle", .foundation),
            ("final class A: @unchecked Sendable {", .uncheckedSendable), ("Task { await run() }", .unstructuredTask),
            ("nonisolated(unsafe) var a = 0", .unsafeIsolation), ("Task.detached {", .unstructuredTask),
            ("print(text)", .printing), ("fatalError()", .fatalError), ("exit(2)", .exit),
            ("let now = Date()", .wallClock),
            ("DispatchQueue.main.async {", .dispatchQueue), ("let p: UnsafePointer<UInt8>", .unsafeCode),
            ("unsafe event_free(event)", .unsafeCode), (#"log.info("port \(port)")"#, .interpolatedLog),
        ])
    func found(line: String, word: BannedWord) {
        let file = SourceFile(path: "Sources/A/A.swift", text: line)
        #expect(word.lines(in: file) == [1])
    }

    @Test(
        "Comments, string contents and longer names are not taken for banned words",
        arguments: [
            "// print(a); Task { }", #"let a = "unsafe { exit(1) }""#, ##"let a = #"DispatchQueue "b" Date("#"##,
            "import FoundationEssentials", "fingerprint(a)", "func update() -> HTTPDate?", "var fetchTask: Int",
            "\"\"\"\nprint(a)\n\"\"\"", #"log.info("ready", metadata: ["port": "\(port)"])"#,
        ])
    func notFound(text: String) {
        let file = SourceFile(path: "Sources/A/A.swift", text: text)
        for word in BannedWord.allCases {
            #expect(word.lines(in: file).isEmpty, "\(word.rawValue)")
        }
    }
}
