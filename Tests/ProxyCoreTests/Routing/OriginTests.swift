import HTTPWire
import ProxyCore
import Testing

@Suite struct OriginTests {
    @Test(
        "Only this machine's own names and addresses are loopback",
        arguments: [
            ("localhost", true), ("::1", true), ("127.0.0.1", true), ("127.255.255.255", true), ("127.1.2.3", true),
            ("127.1", false), ("127.0.0.1.example", false), ("127.example", false), ("127.0.0.256", false),
            ("127.0.0.1.", false), ("127.0.0.", false), ("127.0.0.0x1", false), ("127.0.0.+1", false),
            ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("::ffff:7f00:1", true), ("", false),
            ("localhost.example", false), ("localhost.", false), ("a.localhost", false), ("0127.0.0.1", false),
        ])
    func loopback(_ host: String, _ expected: Bool) {
        #expect(Origin(scheme: .http, host: host, port: 80).isLoopback == expected)
    }

    @Test("An origin is written with its port, and an IPv6 address in brackets")
    func description() {
        #expect("\(Origin(scheme: .https, host: "a.example", port: 443))" == "https://a.example:443")
        #expect("\(Origin(scheme: .http, host: "::1", port: 8080))" == "http://[::1]:8080")
    }

    @Test("Scheme, host and port make an origin")
    func equality() {
        let origin = Origin(scheme: .https, host: "a.example", port: 443)
        #expect(origin == Origin(scheme: .https, host: "a.example", port: 443))
        #expect(origin != Origin(scheme: .http, host: "a.example", port: 443))
        #expect(origin != Origin(scheme: .https, host: "b.example", port: 443))
        #expect(origin != Origin(scheme: .https, host: "a.example", port: 80))
    }
}
