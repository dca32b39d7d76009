import ProxyConfiguration
import Support

/// A file system of a few texts.
struct FakeFiles: FileReader {
    var files: [String: [UInt8]] = [:]
    /// Other paths to the files above.
    var links: [String: String] = [:]
    var folders: Set<String> = [".", "/", "/var", "/var/log", "/run", "/run/attache"]

    static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

    /// What the tests' configurations name.
    static let usual = FakeFiles(files: [
        "/secret": Array("file-secret\n".utf8), "/token": Array("file-token".utf8), "/empty": Array("\n".utf8),
        "/ca.pem": Array(certificate.utf8), "/not-a-ca": Array("hello".utf8),
        "/rsa.pem": Array(SampleKey.rsa.rawValue.utf8),
        "/rsa-certificate.pem": Array(SampleKey.rsaCertificate.rawValue.utf8),
        "/p256.pem": Array(SampleKey.p256.rawValue.utf8),
        "/etc/passwd": Array("root:x:0:0::/root:/bin/sh\napp:x:1001:1002::/:/bin/false\nbroken:x\n".utf8),
        "/etc/group": Array("root:x:0:\nweb:x:33:app\n".utf8),
        "/users": Array("app:canary-password\n".utf8),
        "/refresh": Array("refresh-token".utf8), "/mounted/refresh": Array("refresh-token".utf8),
    ])

    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        guard let bytes = files[links[path] ?? path] else { throw FileError("no such file") }
        guard bytes.count <= limit else { throw FileError("is larger than allowed") }
        return bytes
    }

    func identity(of path: String) -> String { links[path] ?? path }

    func isFolder(_ path: String) -> Bool { folders.contains(path) }

    func mayReplace(_ path: String) -> Bool { !path.hasPrefix("/mounted/") }
}
