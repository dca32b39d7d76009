import Testing

@testable import HTTPWire

@Suite("Configured hosts")
struct HostTests {
    @Test(
        "Each address has one spelling",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
            ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("::fffe:1.2.3.4", "::fffe:102:304"), ("1::", "1::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ])
    func spelling(text: String, canonical: String) throws {
        let host = try Host(text)
        #expect(host.text == canonical && host.isAddress)
    }

    @Test("An IPv4-mapped address is the IPv4 address that it stands for")
    func mapped() throws {
        for text in ["::ffff:1.2.3.4", "[::ffff:1.2.3.4]", "::FFFF:102:304"] {
            #expect(try Host(text) == .v4("1.2.3.4"))
        }
    }

    @Test(
        "A text that only looks like an address is refused",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.", "+1.2.3.4", "0x7f.0.0.1", "::1%eth0", ":::",
            "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:",
            "::1.2.3", "1.2.3.4::", "+1::", "1:2:3:4:5:6:7::8",
        ])
    func none(text: String) {
        let host = try? Host(text)
        #expect(host?.isAddress != true)
    }

    @Test(
        "Loopback is localhost, 127.0.0.0/8 and ::1",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("10.0.0.1", false), ("::", false),
            ("0.0.0.0", false), ("localhost", true), ("LocalHost", true), ("localhost.example", false),
            ("a.localhost", false), ("127.example", false), ("::ffff:127.0.0.1", true), ("::ffff:7f00:1", true),
            ("::ffff:7.240.0.1", false), ("::ffff:10.0.0.1", false), ("::127.0.0.1", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try Host(text).isLoopback == isLoopback)
    }

    @Test(
        "A text that is not a host is refused with the reason",
        arguments: [
            ("", .name), (".", .name), ("a.", .name), (".a", .name), ("a..b", .name), ("a b", .name), ("a%41", .name),
            ("a:80", .name), ("a/b", .name), ("*.a", .name), ("1.2.3.4:80", .name), ("::1%eth0", .name),
            ("b\u{fc}cher", .notASCII), ("127.1", .number), ("2130706433", .number), ("0x7f000001", .number),
            ("0177.0.0.1", .number), ("1.2.3.256", .number), ("a.1", .number), ("[", .brackets), ("[]", .brackets),
            ("[::1", .brackets), ("[1.2.3.4]", .brackets), ("[a]", .brackets), ("[::1]:80", .brackets),
        ] as [(String, Host.Problem)])
    func problem(text: String, problem: Host.Problem) {
        #expect(throws: problem) { try Host(text) }
    }
}
