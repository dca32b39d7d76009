import FoundationEssentials
import Testing
import TokenManager

/// A folder of its own for each test, removed with it.
@Suite final class SystemSecretReaderTests {
    private let folder: URL
    private let reader = SystemSecretReader()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "attache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func write(_ text: String, to name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private func message(_ secret: Secret) -> String? {
        do {
            _ = try reader.readNow(secret)
            return nil
        } catch {
            return error.kind == .secretUnreadable ? error.message : "of another kind"
        }
    }

    @Test(
        "One line break at the end of a file does not count",
        arguments: [
            ("s", "s"), ("s\n", "s"), ("s\r\n", "s"), (" s ", " s "), ("a\nb\n", "a\nb"), ("s\n\n", "s\n"),
            ("é\n", "é"),
        ])
    func lineBreak(content: String, text: String) throws {
        #expect(try reader.readNow(.file(path: try write(content, to: "secret"))) == text)
    }

    @Test func `A file is read again each time, and through links, because mounted secrets are replaced`() throws {
        let first = try write("one", to: "one")
        let link = folder.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first)
        #expect(try reader.readNow(.file(path: link)) == "one")
        let second = try write("two", to: "two")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second)
        #expect(try reader.readNow(.file(path: link)) == "two")
    }

    @Test func `The error about an unreadable secret names it and says what to do`() throws {
        let missing = folder.appending(path: "missing").path
        #expect(message(.file(path: missing)) == "the file \(missing) cannot be found: create it, or correct the path")
        for lineEnds in ["", "\n", "\n\n", "\r\n\r\n", "\r"] {
            let empty = try write(lineEnds, to: "empty")
            #expect(message(.file(path: empty)) == "the file \(empty) is empty: put the value into it")
        }
        for path in [folder.path, "/dev/zero", "/dev/null"] {
            #expect(
                message(.file(path: path))
                    == "the file \(path) is not a regular file: name a file that holds the value")
        }
        let large = try write(String(repeating: "a", count: SystemSecretReader.longestFile + 1), to: "large")
        #expect(message(.file(path: large))?.contains("is larger than 65536 bytes") == true)
        let binary = folder.appending(path: "binary")
        try Data([0xff, 0xfe, 0x00]).write(to: binary)
        #expect(message(.file(path: binary.path))?.contains("is not UTF-8 text") == true)
        let dangling = folder.appending(path: "dangling").path
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: missing)
        #expect(message(.file(path: dangling)) != nil)
    }

    @Test func `The environment and the configuration are read as they are`() throws {
        #expect(try reader.readNow(.environment(name: "PATH")).isEmpty == false)
        #expect(
            message(.environment(name: "ATTACHE_NO_SUCH"))
                == "the environment variable ATTACHE_NO_SUCH is not set: set it and start again")
        #expect(try reader.readNow(.literal("s")) == "s")
        #expect(message(.literal(""))?.contains("the value in the configuration is empty") == true)
    }
}
