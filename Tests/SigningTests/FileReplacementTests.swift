import FoundationEssentials
import Glibc
import Signing
import Support
import Testing

@Suite("Replacing a file") final class FileReplacementTests {
    private let folder: TemporaryDirectory
    private let old = Array("old-refresh-token\n".utf8)
    private let new = Array("new-refresh-token\n".utf8)

    init() throws { folder = try TemporaryDirectory() }

    deinit { folder.remove() }

    @Test("Stopped after any operation, the file holds the old content or the new one, and the next attempt succeeds")
    func stopped() throws {
        let path = folder.file("token")
        for count in 0...FileReplacement.Operation.allCases.count {
            try folder.write(old, to: "token")
            try advance(path, count)
            let renamed = count > 3
            #expect(try SecretFile.read(path, atMost: 100) == (renamed ? new : old), "after \(count) operations")
            // What a killed process left behind does not hinder the next one.
            // A process that another test is starting holds the lock of the leftover for a moment.
            try Patience.poll("nothing is left behind") {
                try FileReplacement.replace(path, with: Array("third".utf8))
                #expect(TemporaryDirectory.read(path) == "third")
                return try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"] ? () : nil
            }
        }
    }

    @Test("A reader between any two operations sees one of the two contents")
    func readers() throws {
        let path = try folder.write(old, to: "token")
        var replacement = try FileReplacement(of: path, by: new)
        var seen: [[UInt8]] = []
        var goesOn = true
        while goesOn {
            seen.append(try SecretFile.read(path, atMost: 100))
            goesOn = try replacement.advance()
        }
        #expect(seen == [old, old, old, old, new, new])
    }

    @Test(
        "Mode and owner stay, also through a symbolic link, which stays too",
        arguments: [0o600, 0o640, 0o444] as [mode_t])
    func attributes(mode: mode_t) throws {
        let path = try folder.write(old, to: "token")
        chmod(path, mode)
        let link = folder.file("link")
        symlink("token", link)
        try FileReplacement.replace(link, with: new)
        var attributes = stat()
        #expect(lstat(link, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(path, &attributes) == 0 && attributes.st_mode & 0o7777 == mode)
        #expect(attributes.st_uid == getuid())
        #expect(TemporaryDirectory.read(path) == "new-refresh-token\n")
    }

    @Test func `A symbolic link in place of the temporary file is not written through`() throws {
        let path = try folder.write(old, to: "token")
        let victim = try folder.write("untouched", to: "victim")
        symlink(victim, folder.file(".token.attache-new"))
        symlink(victim, folder.file(".token.attache-new.1"))
        try FileReplacement.replace(path, with: new)
        #expect(TemporaryDirectory.read(victim) == "untouched")
        #expect(TemporaryDirectory.read(path) == "new-refresh-token\n")
    }

    @Test(
        "Of two replacements at once, neither removes the other's file",
        arguments: 0...FileReplacement.Operation.allCases.count)
    func atOnce(count: Int) throws {
        let path = try folder.write(old, to: "token")
        var first = try FileReplacement(of: path, by: new)
        for _ in 0..<count { #expect(try first.advance()) }
        try FileReplacement.replace(path, with: Array("second".utf8))
        #expect(TemporaryDirectory.read(path) == "second")
        while try first.advance() {}
        #expect(TemporaryDirectory.read(path) == (count > 3 ? "second" : "new-refresh-token\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"])
    }

    @Test func `A failed replacement is reported`() throws {
        // All of it in this folder: as root, a mistake would replace a file of the machine.
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        // No other file of the folder can have a name that is longer.
        let longName = try folder.write(old, to: String(repeating: "n", count: Int(NAME_MAX)))
        for (path, problem) in [
            (folder.file("missing"), .missing), (pipe, .notRegular), (folder.path, .notRegular),
            (longName, .system(ENAMETOOLONG)),
            ("", .missing), ("\(folder.file("a"))\0x", .missing),
        ] as [(String, SecretFile.Problem)] {
            #expect(throws: problem, "\(path)") { try FileReplacement.replace(path, with: []) }
        }
        #expect(try SecretFile.read(longName, atMost: 100) == old)
    }

    /// So many operations and no more, as if the process had been killed then.
    private func advance(_ path: String, _ count: Int) throws {
        var replacement = try FileReplacement(of: path, by: new)
        for _ in 0..<count { #expect(try replacement.advance()) }
    }
}
