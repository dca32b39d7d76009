@testable import ProxyConfiguration

/// A file system of a few texts.
struct FewFiles: FileReader {
    let configuration: [UInt8]

    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let bytes: [UInt8]
        switch path {
        case "a.yaml": bytes = configuration
        case "/secret": bytes = Array("file-secret\n".utf8)
        case "/ca.pem": bytes = Array("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8)
        default: throw FileError("no such file")
        }
        guard bytes.count <= limit else { throw FileError("is larger than allowed") }
        return bytes
    }

    func identity(of path: String) -> String { path }

    func isFolder(_ path: String) -> Bool { ["", ".", "/", "/var", "/var/log"].contains(path) }

    func mayReplace(_ path: String) -> Bool { path != "/secret" }
}
