import ProxyConfiguration
import ProxyCore
import Testing

@testable import ProxyServer

@Suite("The warning about the system's certificate authorities")
struct UnitSystemAuthoritiesTests {
    private func codes(_ yaml: String, problem: String? = "missing") throws -> [String?] {
        var flags = Flags()
        flags.configurationFile = TextFileReader.path
        let configuration = try Configuration.load(flags: flags, environment: [:], files: TextFileReader(text: yaml))
        return SystemAuthorities.warnings(for: configuration, problem: problem).map(\.code?.rawValue)
    }

    @Test(
        "It comes if a server over TLS depends on them",
        arguments: [
            "routes: [{ match: { host: a.test }, upstream: https://a.test }]",
            "routes: [{ match: { host: a.test } }]",
            """
            credentials: { a: { type: ibmIam, apikey: k } }
            routes: [{ match: { host: a.test }, upstream: http://127.0.0.1:1, credential: a }]
            """,
            "unmatched: forward\ntracing: { endpoint: https://collector.test }",
        ])
    func needed(_ yaml: String) throws {
        #expect(try codes(yaml) == ["certificate-authorities-missing"])
        #expect(try codes(yaml, problem: nil) == [])
    }

    @Test(
        "It does not come if no server over TLS depends on them",
        arguments: [
            "routes: [{ match: { host: a.test }, upstream: http://127.0.0.1:1 }]",
            "unmatched: forward\ntracing: { endpoint: http://collector.test }",
            """
            credentials: { a: { type: ibmIam, apikey: k }, b: { type: static, value: x } }
            routes: [{ match: { host: a.test }, upstream: http://127.0.0.1:1, credential: b }]
            """,
        ])
    func unneeded(_ yaml: String) throws {
        #expect(try codes(yaml) == [])
    }
}
