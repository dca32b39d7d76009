import Testing

@testable import HTTPWire

@Suite struct HostSyntaxTests {
    @Test(
        "An IPv6 address is one of RFC 4291 section 2.2",
        arguments: [
            "::", "::1", "1::", "1:2:3:4:5:6:7:8", "2001:db8::1", "fe80::1:2:3:4", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
            "1::3:4:5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "::192.0.2.1", "ABCD:ef01::",
            "64:ff9b::192.0.2.33", "1::2:192.0.2.1",
        ])
    func validIPv6(_ text: String) {
        let bytes = latin1(text)
        let isValid = HostSyntax.isIPv6(bytes.span, 0, bytes.count)
        #expect(isValid)
    }

    @Test(
        "Other texts are not IPv6 addresses",
        arguments: [
            "", ":", ":::", "1", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "1:::2",
            "::1:", ":1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:192.0.2.1", "::192.0.2",
            "::192.0.2.1.5", "::192.0.2.256", "::192.0.2.01", "192.0.2.1", "::192.0.2.1:1", "::%1", "::1%25eth0",
            "1.2::",
            "1:2:3:4:5:6:7:", "1:2:3:4:5:6::192.0.2.1:", "1:2:3:4:5:6:7::192.0.2.1", ".", "::.", "::1.",
        ])
    func invalidIPv6(_ text: String) {
        let bytes = latin1(text)
        let isValid = HostSyntax.isIPv6(bytes.span, 0, bytes.count)
        #expect(!isValid)
    }

    @Test(
        "An IPv4 address is four numbers up to 255", arguments: ["0.0.0.0", "1.2.3.4", "255.255.255.255", "10.0.0.1"])
    func validIPv4(_ text: String) {
        let bytes = latin1(text)
        let isValid = HostSyntax.isIPv4(bytes.span, 0, bytes.count)
        #expect(isValid)
    }

    @Test(
        "Other texts are not IPv4 addresses",
        arguments: [
            "", ".", "1", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.4.5", ".1.2.3", "256.1.1.1", "1.1.1.1000", "01.1.1.1",
            "1.1.1.00", "1..1.1", "a.1.1.1", "1.1.1.1a", "-1.1.1.1", "1.1.1.+1", "1 .1.1.1",
        ])
    func invalidIPv4(_ text: String) {
        let bytes = latin1(text)
        let isValid = HostSyntax.isIPv4(bytes.span, 0, bytes.count)
        #expect(!isValid)
    }

    @Test(
        "A name of every length up to the DNS's limit is accepted, with and without a final dot",
        arguments: [1, 63, 252, 253, 254, 300])
    func lengths(_ count: Int) {
        var bytes = (1...count).map { UInt8(ascii: $0 % 50 == 0 && $0 < count ? "." : "a") }
        let end = HostSyntax.endOfNameOrIPv4(bytes.span, 0, count)
        #expect(end == (count <= 253 ? count : nil))
        bytes.append(UInt8(ascii: "."))
        let rootedEnd = HostSyntax.endOfNameOrIPv4(bytes.span, 0, count + 1)
        #expect(rootedEnd == (count <= 253 ? count + 1 : nil))
    }

    @Test("A label has at most 63 bytes, wherever it is", arguments: ["", "a.", "."], [63, 64])
    func labels(_ around: String, _ count: Int) {
        let label = String(repeating: "a", count: count)
        let text = around == "." ? "\(label)." : "\(around)\(label)"
        for text in [text, "\(label).b", "b.\(label).b"] {
            let bytes = latin1(text)
            let end = HostSyntax.endOfNameOrIPv4(bytes.span, 0, bytes.count)
            #expect(end == (count == 63 ? bytes.count : nil), "\(text)")
        }
    }

    @Test("A name has letters, digits and three marks, and ends at any other byte")
    func nameBytes() {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let allowed = Set(latin1("-_~.0123456789" + letters + letters.uppercased()))
        for byte in UInt8.min...UInt8.max {
            let bytes = latin1("a") + [byte] + latin1("a")
            let end = HostSyntax.endOfNameOrIPv4(bytes.span, 0, 3)
            #expect(end == (allowed.contains(byte) ? 3 : 1), "byte \(byte)")
        }
    }

    @Test(
        "A name that ends in a number is an IPv4 address or is refused",
        arguments: [
            ("1.2.3.4", 7), ("a.1", nil), ("1", nil), ("1.2.3", nil), ("a.0x1f", nil), ("a.0x", nil), ("1.2.3.4.", nil),
            ("a.1.", nil), ("a.1b", 4), ("1.a", 3), ("1.a.", 4), ("0x1g", 4), ("a.b:80", 3), ("a.b/c", 3), ("", nil),
            (".", nil), ("..", nil), ("a..", nil), ("a..b", nil), (".a", nil), (":80", nil),
        ] as [(String, Int?)])
    func numericNames(_ text: String, _ expected: Int?) {
        let bytes = latin1(text)
        let end = HostSyntax.endOfNameOrIPv4(bytes.span, 0, bytes.count)
        #expect(end == expected)
    }
}
