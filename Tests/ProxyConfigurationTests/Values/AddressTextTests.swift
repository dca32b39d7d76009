import Testing

@testable import ProxyConfiguration

@Suite("Addresses to listen on")
struct AddressTextTests {
    @Test(
        "Host and port are read",
        arguments: [
            ("127.0.0.1:3128", "127.0.0.1:3128"), ("[::1]:0", "[::1]:0"), ("localhost:80", "127.0.0.1:80"),
            ("[0:0:0:0:0:0:0:1]:65535", "[::1]:65535"), ("0.0.0.0:1", "0.0.0.0:1"),
        ])
    func read(text: String, address: String) throws {
        #expect(try AddressText.parse(text).description == address)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", ":", "3128", ":3128", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
            "::1:3128", "[127.0.0.1]:1", "[::1]", "[::1:80", "host.example:80", "http://127.0.0.1:80", "*:80",
            "127.0.0.1:80:80", "127.0.0.1: 80",
        ])
    func refused(text: String) {
        #expect(throws: ValueError.self) { try AddressText.parse(text) }
    }

    @Test("The message for a Unix socket says that it is not supported yet")
    func unix() {
        #expect(throws: ValueError("Unix sockets are not supported yet; write host:port, as in 127.0.0.1:3128")) {
            try AddressText.parse("unix:/run/attache.sock")
        }
    }
}
