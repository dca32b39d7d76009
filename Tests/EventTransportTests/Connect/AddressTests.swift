import Testing

@testable import EventTransport

@Suite("An address")
struct AddressTests {
    @Test(
        "is read from its literal and printed in its usual form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:10.1.2.3", "10.1.2.3"),
            ("fe80::1", "fe80::1"), ("fe80::1%lo", "fe80::1"),
        ])
    func literals(text: String, printed: String) throws {
        #expect(try #require(IPAddress(literal: text)).description == printed)
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "", "localhost", "127.0.0.1:80", "[::1]", "1.2.3", "1.2.3.256", "01.2.3.4.5", "::g", "1:2", "0x7f.1",
            "127.0.0.1 ", "::1%no-such-interface", "1.2.3.4\0",
        ])
    func notLiterals(text: String) { #expect(IPAddress(literal: text) == nil) }

    @Test("recognises loopback", arguments: ["127.0.0.1", "127.255.0.3", "::1", "::ffff:127.0.0.1"])
    func loopback(text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(address.isLoopback && !address.isLinkLocal)
    }

    @Test(
        "recognises link-local addresses in every spelling",
        arguments: [
            "169.254.169.254", "169.254.0.1", "100.100.100.200", "::ffff:169.254.169.254", "fe80::1", "febf::1",
            "fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "::ffff:168.63.129.16", "::ffff:100.100.100.200",
            "64:ff9b::a9fe:a9fe", "64:ff9b::168.63.129.16", "64:ff9b::100.100.100.200", "64:ff9b:1::169.254.169.254",
            "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:7a9:fe:a9fe::", "64:ff9b:1:7:a9:fea9:fe00::",
            "64:ff9b:1:a83f:81:1000::",
        ])
    func linkLocal(text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(address.isLinkLocal && !address.isLoopback)
    }

    @Test(
        "does not take other addresses for link-local ones",
        arguments: [
            "10.0.0.1", "169.253.0.1", "168.63.129.17", "fec0::1", "fd00::1", "fd20:ce::253", "2001:db8::1",
            "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1", "64:ff9b:2::a9fe:a9fe",
        ])
    func others(text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(!address.isLinkLocal && !address.isLoopback)
    }

    @Test("is printed with its port, IPv6 in brackets")
    func sockets() throws {
        #expect(SocketAddress(.loopbackV4, port: 80).description == "127.0.0.1:80")
        #expect(SocketAddress(.loopbackV6, port: 80).description == "[::1]:80")
        #expect(SocketAddress(.loopbackV6, port: 80) != SocketAddress(.loopbackV6, port: 81))
    }
}
