import FoundationEssentials
import Glibc
import ProxyConfiguration
import Testing

@Suite("Files of the system")
struct SystemFileReaderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "attache-\(UUID().uuidString)").path()

    @Test("A file is read through links, and refused with the reason")
    func reading() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("hello".utf8).write(to: URL(filePath: "\(folder)/a"))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "\(folder)/a")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/dangling", withDestinationPath: "\(folder)/none")
        let reader = SystemFileReader()
        #expect(try reader.read("\(folder)/a", limit: 5) == Array("hello".utf8))
        #expect(try reader.read("\(folder)/link", limit: 5) == Array("hello".utf8))
        #expect(throws: FileError("is larger than 4")) { try reader.read("\(folder)/a", limit: 4) }
        #expect(throws: FileError("no such file")) { try reader.read("\(folder)/none", limit: 4) }
        #expect(throws: FileError("no such file")) { try reader.read("\(folder)/dangling", limit: 4) }
        #expect(throws: FileError("is a folder, not a file")) { try reader.read(folder, limit: 4) }
        #expect(throws: FileError("is not a regular file")) { try reader.read("/dev/zero", limit: 4) }
        #expect(reader.isFolder(folder))
        #expect(!reader.isFolder("\(folder)/a"))
        #expect(!reader.isFolder("\(folder)/none"))
        try FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: true)
        for path in ["\(folder)/link", "\(folder)/./a", "\(folder)//a", "\(folder)/sub/../a"] {
            #expect(reader.identity(of: path) == reader.identity(of: "\(folder)/a"), "\(path)")
        }
        #expect(reader.identity(of: "\(folder)/none") != reader.identity(of: "\(folder)/a"))
        // Nobody may make a file beside those of a process, not even root.
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/far", withDestinationPath: "/proc/self/status")
        #expect(reader.mayReplace("\(folder)/a"))
        #expect(reader.mayReplace("\(folder)/link"))
        #expect(!reader.mayReplace("\(folder)/far"))
        #expect(!reader.mayReplace("\(folder)/none/a"))
    }

    @Test(
        "A path may have spaces, percent signs and letters that are not ASCII",
        arguments: ["with space", "100%", "a%20b", "ü", "#?&+;=", "証明書"])
    func names(_ name: String) throws {
        let folder = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: self.folder) }
        let path = "\(folder)/\(name)"
        try Data("hello".utf8).write(to: URL(filePath: path))
        let reader = SystemFileReader()
        #expect(try reader.read(path, limit: 5) == Array("hello".utf8))
        #expect(throws: FileError("is larger than 4")) { try reader.read(path, limit: 4) }
        #expect(throws: FileError("is a folder, not a file")) { try reader.read(folder, limit: 4) }
        #expect(reader.isFolder(folder) && !reader.isFolder(path) && reader.mayReplace(path))
        #expect(reader.identity(of: path) == reader.identity(of: "\(folder)/./\(name)"))
    }

    @Test("A file larger than the memory is refused, whether its size is known or not")
    func huge() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Sparse: it takes no room on the disk.
        let descriptor = open("\(folder)/huge", O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        try #require(ftruncate(descriptor, 1 << 42) == 0)
        let reader = SystemFileReader()
        #expect(throws: FileError("is larger than 64000")) { try reader.read("\(folder)/huge", limit: 64_000) }
        // Its size is given as 0.
        #expect(throws: FileError("is larger than 4")) { try reader.read("/proc/self/status", limit: 4) }
    }
}
