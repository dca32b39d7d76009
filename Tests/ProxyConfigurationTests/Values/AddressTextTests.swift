import Testing

@testable import ProxyConfiguration

@Suite("Addresses to listen on")
struct AddressTextTests {
    private static let longest = "unix:/" + String(repeating: "a", count: 106)

    @Test(
        "Host and port, or the path of a Unix socket, are read",
        arguments: [
            ("127.0.0.1:3128", "127.0.0.1:3128"), ("[::1]:0", "[::1]:0"), ("localhost:80", "127.0.0.1:80"),
            ("[0:0:0:0:0:0:0:1]:65535", "[::1]:65535"), ("0.0.0.0:1", "0.0.0.0:1"),
            ("unix:/run/attache/proxy.sock", "unix:/run/attache/proxy.sock"), ("unix:@attache", "unix:@attache"),
            (longest, longest),
        ])
    func read(text: String, address: String) throws {
        #expect(try AddressText.parse(text).description == address)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", ":", "3128", ":3128", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
            "::1:3128", "[127.0.0.1]:1", "[::1]", "[::1:80", "host.example:80", "http://127.0.0.1:80", "*:80",
            "127.0.0.1:80:80", "127.0.0.1: 80", "unix:", "unix:/", "unix:@", "unix:proxy.sock", "unix:./x",
            "unix:/run/",
            "unix:/" + String(repeating: "a", count: 107), "unix:/" + String(repeating: "é", count: 54),
            "unix:@" + String(repeating: "a", count: 107), "/run/x",
        ])
    func refused(text: String) {
        #expect(throws: ValueError.self) { try AddressText.parse(text) }
    }

    @Test("The message for a long path has its length and the limit")
    func longPath() {
        let path = "/" + String(repeating: "a", count: 199)
        #expect(
            throws: ValueError(
                "has a path of 200 bytes, and the path of a Unix socket has at most 107; choose a shorter one")
        ) { try AddressText.parse("unix:\(path)") }
    }
}
