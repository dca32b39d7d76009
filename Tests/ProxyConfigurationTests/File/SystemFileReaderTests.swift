import FoundationEssentials
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
}
