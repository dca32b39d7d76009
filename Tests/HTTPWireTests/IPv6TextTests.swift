import Support
import Testing

@testable import HTTPWire

@Suite struct IPv6TextTests {
    private func canonical(_ text: String) -> String {
        let bytes = latin1(text)
        let isAddress = HostSyntax.isIPv6(bytes.span, 0, bytes.count)
        #expect(isAddress, "\(text)")
        let address = IPv6Text(bytes.span, ByteRange(0, bytes.count))
        return address.withBare { span in
            var copy: [UInt8] = []
            copy.append(copying: span)
            return String(decoding: copy, as: UTF8.self)
        }
    }

    @Test(
        "An address is written as in RFC 5952",
        arguments: [
            ("::", "::"), ("0:0:0:0:0:0:0:0", "::"), ("::1", "::1"), ("::0001", "::1"), ("0:0:0:0:0:0:0:1", "::1"),
            ("1::", "1::"), ("1:0:0:0:0:0:0:0", "1::"), ("0::1:0", "::1:0"), ("2001:DB8::A", "2001:db8::a"),
            ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("::ffff:0:0:1", "::ffff:0:0:1"), ("::1:ffff:1:2", "::1:ffff:1:2"), ("1::255.255.0.0", "1::ffff:0"),
            ("::0.0.0.1", "::1"),
            ("fFfF:EEEE:dddd:CCCC:bbbb:AAAA:9999:8888", "ffff:eeee:dddd:cccc:bbbb:aaaa:9999:8888"),
        ])
    func spelling(_ text: String, _ expected: String) {
        #expect(canonical(text) == expected)
        #expect(canonical(expected) == expected)
    }

    @Test(
        "An IPv4-mapped address is written as its IPv4 address",
        arguments: [
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("0:0:0:0:0:ffff:a00:9", "10.0.0.9"),
            ("::ffff:0:0", "0.0.0.0"), ("::ffff:255.255.255.255", "255.255.255.255"), ("::ffff:7f00:1", "127.0.0.1"),
        ])
    func mapped(_ text: String, _ expected: String) {
        #expect(canonical(text) == expected)
        let bytes = latin1(text)
        let inURI = IPv6Text(bytes.span, ByteRange(0, bytes.count)).withBracketed { span in
            var copy: [UInt8] = []
            copy.append(copying: span)
            return String(decoding: copy, as: UTF8.self)
        }
        #expect(inURI == expected)
    }

    @Test("Every spelling of an address has the same text", arguments: 0..<20)
    func agrees(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let groups = (0..<8).map { _ in
                generator.chance(1, of: 2) ? 0 : UInt16.random(in: 0...0x1_00, using: &generator)
            }
            let full = groups.map { group in
                let text = String(group, radix: 16, uppercase: generator.chance(1, of: 2))
                return String(repeating: "0", count: Int.random(in: 0...(4 - text.count), using: &generator)) + text
            }.joined(separator: ":")
            let plain = groups.map { String($0, radix: 16) }.joined(separator: ":")
            #expect(canonical(full) == canonical(plain), "\(full)")
        }
    }
}
