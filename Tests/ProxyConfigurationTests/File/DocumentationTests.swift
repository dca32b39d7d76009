import ProxyConfiguration
import Support
import Testing

@Suite("The documentation pages")
struct DocumentationTests {
    /// A configuration file that a page shows.
    struct Example: Sendable, CustomTestStringConvertible {
        let page: String
        let text: String
        var testDescription: String { "\(page): \(text.prefix { $0 != "\n" })" }
    }

    static let examples = DocumentationPage.all.flatMap { page in
        page.blocks(of: "yaml").filter { !$0.hasPrefix("apiVersion:") }.map { Example(page: page.name, text: $0) }
    }

    /// The words of all pages.
    static let words = Set(
        DocumentationPage.all.flatMap(\.lines).flatMap { line in
            line.utf8.split { !(65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0) }.map { String(Substring($0)) }
        })

    /// The files that the examples name.
    static let files: FakeFiles = {
        var files = FakeFiles.usual
        let (key, certificate) = (Array(SampleKey.rsa.rawValue.utf8), Array(SampleKey.rsaCertificate.rawValue.utf8))
        files.files["/etc/attache/users"] = Array("shop:one\nreport:two\n".utf8)
        for name in ["key.pem", "client.key"] { files.files["/run/secrets/\(name)"] = key }
        for name in ["cert.pem", "client.pem"] { files.files["/run/secrets/\(name)"] = certificate }
        for name in ["client-secret", "apikey", "basic"] { files.files["/run/secrets/\(name)"] = Array("text".utf8) }
        for path in [
            "/var/lib/attache/refresh-token", "/var/run/secrets/tokens/token", "/var/run/secrets/tokens/gcp",
            "/var/run/secrets/azure/tokens/azure-identity-token",
        ] { files.files[path] = Array("text".utf8) }
        return files
    }()

    @Test("Every configuration file that a page shows loads", arguments: examples)
    func loads(_ example: Example) throws {
        var files = Self.files
        files.files["a.yaml"] = Array(example.text.utf8)
        var flags = Flags()
        flags.configurationFile = "a.yaml"
        #expect(throws: Never.self) {
            try Configuration.load(flags: flags, environment: [:], files: files, unixTime: nil)
        }
    }

    @Test("The pages show configuration files")
    func count() { #expect(Self.examples.count > 20) }

    @Test("The pages mention every key", arguments: KnownKeys.all)
    func mentions(key: String) { #expect(Self.words.contains(key)) }
}
