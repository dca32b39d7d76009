import FoundationEssentials
import Signing
import Testing

/// A folder of its own for each test, removed with it.
@Suite final class SecretFileTests {
    @Test("A system error number has a text")
    func words() {
        #expect(SecretFile.words(28) == "No space left on device")
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "attache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("A file's bytes are read up to the limit", arguments: [0, 1, 4095, 4096, 4097, 60_000])
    func content(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let path = folder.appending(path: "file").path
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try SecretFile.read(path, atMost: count) == bytes)
        if count > 0 {
            #expect(throws: SecretFile.Problem.tooLarge) { try SecretFile.read(path, atMost: count - 1) }
        }
    }

    @Test func `A file that does not report its size is read to its end, and not beyond the limit`() throws {
        #expect(try !SecretFile.read("/proc/self/status", atMost: 65_536).isEmpty)
        #expect(throws: SecretFile.Problem.tooLarge) { try SecretFile.read("/proc/self/status", atMost: 10) }
    }

    @Test(
        "Other things than files are refused, and a device does not block",
        arguments: [
            ("/dev/zero", .notRegular), ("/dev/null", .notRegular), ("/", .notRegular),
            ("/tmp/attache-no-such-file", .missing), ("/dev/null/x", .missing), ("", .missing), ("/etc\0x", .missing),
        ] as [(String, SecretFile.Problem)])
    func refused(path: String, problem: SecretFile.Problem) {
        #expect(throws: problem) { try SecretFile.read(path, atMost: 100) }
    }
}
