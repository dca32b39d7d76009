import Testing

@testable import ProxyConfiguration

@Suite("A password file")
struct PasswordLinesTests {
    @Test("has a user and a password in each line")
    func lines() throws {
        let text = "# users\n\napp:one\r\napp:two:three \nüser: 4\n#x:y\nlast:5"
        let lines = try PasswordLines(Array(text.utf8))
        #expect(lines.users == ["app", "app", "üser", "last"])
        #expect(
            lines.credentials.map { String(decoding: $0, as: UTF8.self) } == [
                "app:one", "app:two:three ", "üser: 4", "last:5",
            ])
        #expect("\(lines)" == "PasswordLines(4 lines)")
    }

    @Test("may begin with a byte order mark, as a configuration file may")
    func byteOrderMark() throws {
        let lines = try PasswordLines(Array("\u{feff}app:one\nother:\u{feff}two\n".utf8))
        #expect(lines.users == ["app", "other"])
        #expect(lines.credentials == [Array("app:one".utf8), Array("other:\u{feff}two".utf8)])
        #expect(try PasswordLines(Array("\u{feff}# users\napp:one\n".utf8)).users == ["app"])
        let problem = #expect(throws: PasswordLines.Problem.self) { try PasswordLines(Array("\u{feff}".utf8)) }
        #expect(problem?.message.hasPrefix("has no line user:password") == true)
    }

    @Test(
        "names the line that is wrong, and quotes nothing of it",
        arguments: [
            ("", "has no line user:password"), ("# canary:canary\n", "has no line user:password"),
            ("a:b\ncanary\n", "has no user and colon in line 2"), (":canary", "has no user and colon in line 1"),
            ("\n\ncanary:", "has no password in line 3"), ("canary:\u{1}", "has a character in line 1"),
            ("canary:$apr1$canary", "has a hash of a password in line 1"),
            ("canary:$2y$05$canary", "has a hash of a password in line 1"),
        ])
    func problems(text: String, message: String) {
        let problem = #expect(throws: PasswordLines.Problem.self) { try PasswordLines(Array(text.utf8)) }
        #expect(problem?.message.hasPrefix(message) == true)
        #expect(problem?.message.contains("canary") == false)
    }
}
