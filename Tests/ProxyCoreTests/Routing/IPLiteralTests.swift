import Testing

@testable import ProxyCore

@Suite("IP addresses written out")
struct IPLiteralTests {
    @Test(
        "Each address has one spelling",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
            ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("::ffff:1.2.3.4", "::ffff:102:304"), ("1::", "1::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ])
    func spelling(text: String, canonical: String) {
        #expect(IPLiteral(text)?.text == canonical)
    }

    @Test(
        "What only looks like an address is none",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.", "+1.2.3.4", "0x7f.0.0.1", "::1%eth0", ":::",
            "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:",
            "::1.2.3", "1.2.3.4::", "+1::", "[::1]", "1:2:3:4:5:6:7::8",
        ])
    func none(text: String) {
        #expect(IPLiteral(text) == nil)
    }

    @Test(
        "Loopback is 127.0.0.0/8 and ::1",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("10.0.0.1", false), ("::", false),
            ("0.0.0.0", false),
            ("::ffff:127.0.0.1", false),
        ])
    func loopback(text: String, isLoopback: Bool) {
        #expect(IPLiteral(text)?.isLoopback == isLoopback)
    }
}
