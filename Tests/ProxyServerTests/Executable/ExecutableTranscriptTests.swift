import Support
import Testing

@Suite("The program's output")
struct ExecutableTranscriptTests {
    /// One file a case: a command line, a line of dashes, and what it prints and how it ends.
    static let cases = GoldenFile.all(beside: #filePath)

    @Test("The cases are found")
    func found() { #expect(Self.cases.count > 15) }

    @Test("Every transcript equals the recorded one", arguments: cases)
    func transcript(_ file: GoldenFile) throws {
        let words = file.input.split(whereSeparator: \.isWhitespace).map(String.init)
        try #require(words.first == "attache")
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let process = try ChildProcess(ExecutableUnderTest.path, Array(words.dropFirst()), in: directory)
        defer { process.kill() }
        guard case .exited(let code) = try process.waitForEnd() else {
            Issue.record("a signal ended it: \(process.errors)")
            return
        }
        // The demo takes free ports.
        let printed = (process.output + process.errors + (code == 0 ? "" : "exit code \(code)\n"))
            .replacing(/127\.0\.0\.1:\d+/) { match in match.output == "127.0.0.1:3128" ? match.output : "127.0.0.1:PORT"
            }
        let difference = try file.difference(from: printed)
        #expect(difference == nil, "\(difference ?? "")")
    }
}
