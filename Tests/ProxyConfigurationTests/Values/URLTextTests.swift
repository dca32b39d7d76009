import HTTPWire
import ProxyCore
import Testing

@testable import ProxyConfiguration

@Suite("URLs of backends")
struct URLTextTests {
    @Test(
        "Scheme, host and port are read",
        arguments: [
            ("https://a.example", "https://a.example:443"), ("HTTP://A.Example/", "http://a.example:80"),
            ("https://a.example:8443", "https://a.example:8443"), ("http://[::1]:80", "http://[::1]:80"),
            ("https://[2001:DB8:0::1]", "https://[2001:db8::1]:443"), ("http://10.0.0.1:9", "http://10.0.0.1:9"),
            ("http://under_score.example", "http://under_score.example:80"),
        ])
    func read(text: String, origin: String) throws {
        #expect(try URLText.backend(text).origin.description == origin)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", "a.example", "ftp://a.example", "https://", "https:a.example", "//a.example", "https://a.example/db",
            "https://a.example?x", "https://a.example#x", "https://u:p@a.example", "https://a.example:0",
            "https://a.example:65536", "https://a.example:", "https://a..example", "https://a b", "https://127.1",
            "https://0x7f000001", "https://2130706433", "https://[::1", "https://::1", "https://[127.0.0.1]",
            "https://*.example", "https://bücher.example", "https://a.example,b.example",
            "https://\(String(repeating: "a", count: 64)).example",
        ])
    func refused(text: String) {
        #expect(throws: ValueError.self) { try URLText.backend(text) }
    }

    @Test(
        "The URL of an upstream may have a path",
        arguments: [
            ("https://a.example", ""), ("https://a.example/", ""), ("https://a.example/v2", "/v2"),
            ("https://a.example:8443/v2/", "/v2"), ("https://a.example/a/b%20c//", "/a/b%20c"),
        ])
    func path(text: String, path: String) throws {
        #expect(try URLText.upstream(text).path == path)
        #expect(try URLText.upstream(text).host == "a.example")
    }

    @Test(
        "The path of an upstream has no query, fragment, dot segment or character that a path cannot have",
        arguments: [
            "https://a.example/v2?x", "https://a.example?x", "https://a.example/v2#x", "https://a.example/a/../b",
            "https://a.example/%2e%2E/b", "https://a.example/.", "https://a.example/a b", "https://a.example/a\\b",
            "https://u:p@a.example/v2",
        ])
    func refusedPath(text: String) {
        #expect(throws: ValueError.self) { try URLText.upstream(text) }
    }
}
