import ProxyCore
import Support
import Testing

@testable import ProxyConfiguration

@Suite("Checks of files that a running process makes again")
struct FileCheckTests {
    /// Some files, in folders that are writable or not.
    private struct Disk: FileReader {
        var files = FakeFiles.usual
        var isWritable = true

        func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] { try files.read(path, limit: limit) }
        func identity(of path: String) -> String { path }
        func isFolder(_ path: String) -> Bool { files.isFolder(path) }
        func mayReplace(_ path: String) -> Bool { isWritable }
    }

    private static let text = """
        listeners: [{ address: 127.0.0.1:5, passwordFile: /users, allow: [{ username: other }] }]
        routes:
        - { match: { host: a.test }, credential: a, tls: { caFile: /authorities.pem } }
        - { match: { host: b.test }, credential: b }
        credentials:
          a: { type: clientCredentials, tokenUrl: "https://i.example/t", clientId: c,
               clientAuthentication: clientSecretJwt, clientSecret: { file: /secret } }
          b: { type: refreshToken, tokenUrl: "https://i.example/t", clientId: c, clientAuthentication: none,
               refreshToken: { file: /refresh } }

        """

    private static let codes: [FindingCode] = [
        .userWithoutPassword, .authorityWithoutRoot, .weakSecret, .refreshTokenNotWritten,
    ]

    private static func wrong() throws -> Disk {
        var disk = Disk(isWritable: false)
        disk.files.files["a.yaml"] = Array(text.utf8)
        disk.files.files["/authorities.pem"] = try SystemFileReader().read(
            TestCertificates.shared.intermediateCAFile, limit: 65_536)
        return disk
    }

    private static func mended() throws -> Disk {
        var disk = try wrong()
        disk.isWritable = true
        disk.files.files["/users"] = Array("other:canary-password\n".utf8)
        disk.files.files["/secret"] = Array(repeating: UInt8(ascii: "s"), count: 32)
        disk.files.files["/authorities.pem"] = try SystemFileReader().read(
            TestCertificates.shared.caFile, limit: 65_536)
        return disk
    }

    private static func checks(_ disk: Disk) throws -> (checks: [FileCheck], warnings: [Problem]) {
        var flags = Flags()
        flags.configurationFile = "a.yaml"
        let configuration = try Configuration.load(flags: flags, environment: [:], files: disk)
        return (configuration.fileChecks, configuration.warnings)
    }

    @Test func `A warning about the content of a file ends when the file is mended, and comes with a wrong one`() throws
    {
        var (checks, warnings) = try Self.checks(Self.wrong())
        #expect(Set(warnings.compactMap(\.code)) == Set(Self.codes))
        #expect(Set(checks.compactMap(\.warning).map(\.description)) == Set(warnings.map(\.description)))
        let mended = try Self.mended()
        for index in checks.indices { checks[index].lookAgain(mended) }
        #expect(checks.compactMap(\.warning) == [])
        let wrong = try Self.wrong()
        for index in checks.indices { checks[index].lookAgain(wrong) }
        #expect(Set(checks.compactMap { $0.warning?.code }) == Set(Self.codes))
    }

    @Test func `A file that cannot be read leaves its warning as it was`() throws {
        var (checks, _) = try Self.checks(Self.wrong())
        for index in checks.indices { checks[index].lookAgain(Disk(files: FakeFiles(), isWritable: false)) }
        #expect(Set(checks.compactMap { $0.warning?.code }) == Set(Self.codes))
    }

    @Test func `A secret in the configuration itself is as weak as at the load`() throws {
        var disk = try Self.wrong()
        disk.files.files["a.yaml"] = Array(Self.text.replacing("{ file: /secret }", with: "short").utf8)
        var (checks, _) = try Self.checks(disk)
        for index in checks.indices { checks[index].lookAgain(try Self.mended()) }
        #expect(checks.compactMap { $0.warning?.code } == [.weakSecret])
    }
}
