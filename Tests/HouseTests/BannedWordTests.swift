import Testing

@Suite("Banned words")
struct BannedWordTests {
    @Test("A banned word stands only where an exception names the place", arguments: BannedWord.allCases)
    func onlyWhereExcepted(word: BannedWord) {
        for file in SourceFile.shipped where !Exception.all.contains(where: { $0.covers(word, in: file) }) {
            for (index, code) in file.code.enumerated() where word.isIn(code: code, line: file.lines[index]) {
                Issue.record("\(file.path):\(index + 1): \(word.rawValue): \(word.reason)")
            }
        }
    }

    @Test("A SAFETY comment stands at most ten lines above every unsafe expression")
    func everyUnsafeSiteIsExplained() {
        for file in SourceFile.shipped {
            for (index, code) in file.code.enumerated() where code.contains(/(?:^|[^(@\w])unsafe(?:$|\W)/) {
                let nearby = file.lines[max(0, index - 10)...index]
                #expect(
                    nearby.contains { $0.contains("SAFETY:") },
                    "\(file.path):\(index + 1): no SAFETY comment says which invariant holds here and who keeps it")
            }
        }
    }

    @Test(
        "The scanner sees code only, and every banned word in it",
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
        #expect(word.isIn(code: file.code[0], line: file.lines[0]))
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
            #expect(!zip(file.code, file.lines).contains { word.isIn(code: $0, line: $1) }, "\(word.rawValue)")
        }
    }
}
