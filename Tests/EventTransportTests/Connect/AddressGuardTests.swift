import Support
import Testing

@testable import EventTransport

@Suite("The addresses that a connection may have")
final class AddressGuardTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test(
        "Addresses of this machine, of private networks and of no single machine are not public, in every spelling",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.0.1", "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200",
            "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::", "::1", "::127.0.0.1", "::ffff:0:10.0.0.1", "fc00::1",
            "fdff::1",
            "fe80::1", "febf::1", "fec0::1", "ff02::1", "fd00:ec2::254", "100::1", "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b:1::808:808", "64:ff9b:1:a00:0:100::", "2002:a00:1::", "2002:7f00:1::1",
            "2001:0:5ef5:79fb:0:0:f5ff:fffe",
        ])
    func special(_ text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(!address.isPublic)
        #expect(!AddressGuard(.nonPublic).permits(address) && AddressGuard.open.permits(address))
    }

    @Test(
        "All other addresses are public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
            "169.253.0.1", "169.255.0.1", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.0.1", "192.169.0.1",
            "198.17.0.1", "198.20.0.1", "223.255.255.255", "168.63.129.17", "::ffff:8.8.8.8", "2606:4700::1111",
            "2001:db8::1", "2001:1::1", "2002:808:808::", "64:ff9b::808:808", "64:ff9b:2::a00:1", "fbff::1", "fe00::1",
        ])
    func `public`(_ text: String) throws {
        let address = try #require(IPAddress(literal: text))
        #expect(address.isPublic && AddressGuard(.nonPublic).permits(address))
    }

    @Test(
        "A range that is opened on purpose permits its addresses and no others",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.1", "10.255.0.1", "::ffff:10.1.1.1"],
                ["192.168.0.1", "127.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1"]
            ),
            ("10.1.2.3/32", ["10.1.2.3"], ["10.1.2.2", "10.1.3.3"]),
            ("172.16.99.1/12", ["172.16.0.1", "172.31.0.1"], ["192.168.0.1"]),
            ("0.0.0.0/0", ["127.0.0.1", "169.254.169.254"], ["::1"]), ("::/0", ["::1", "fe80::1"], ["127.0.0.1"]),
            ("fd00::/8", ["fd12::1"], ["fc00::1", "fe80::1"]),
            ("fd00:1:2:3::/64", ["fd00:1:2:3::9"], ["fd00:1:2:4::9"]),
            ("fd00::ff00/120", ["fd00::ff01"], ["fd00::fe01"]), ("::1/128", ["::1"], ["::"]),
        ])
    func ranges(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let addresses = AddressGuard(.nonPublic, allowing: [try Self.range("192.0.0.8/32"), try Self.range(text)])
        for text in inside { #expect(addresses.permits(try #require(IPAddress(literal: text))), "\(text)") }
        for text in outside { #expect(!addresses.permits(try #require(IPAddress(literal: text))), "\(text)") }
    }

    private static func range(_ text: String) throws -> AddressRange {
        let parts = text.split(separator: "/").map(String.init)
        return AddressRange(try #require(IPAddress(literal: parts[0])), prefixLength: try #require(Int(parts[1])))
    }

    @Test("Of the addresses of a name, only the refused ones are left out; the error names all if none is left")
    func severalAddresses() throws {
        let server = try FakeNameServer(
            [:],
            hosts: """
                169.254.169.254 mixed.test
                10.255.255.254 mixed.test
                127.0.0.1 mixed.test
                169.254.169.254 bad.test
                10.0.0.1 bad.test
                """)
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let loopback = AddressGuard(.nonPublic, allowing: [try Self.range("127.0.0.0/8")])
        let good = Outcome()
        connector.connect(
            to: .init(host: "mixed.test", port: listener.tcp.port, addresses: loopback), timeout: .seconds(10),
            good.set)
        #expect(throws: Never.self) { try good.wait(loop).get() }
        for host in ["bad.test", "10.0.0.1", "::ffff:10.0.0.1", "0.0.0.0"] {
            let refused = Outcome()
            connector.connect(to: .init(host: host, port: 80, addresses: loopback), timeout: .seconds(10), refused.set)
            let error = try #require(refused.wait(loop).failure)
            #expect(error.kind == .forbiddenAddress && error.message.contains("allowAddresses"), "\(error)")
            if host == "bad.test" {
                #expect(
                    error.message.contains("169.254.169.254 (link-local or metadata), 10.0.0.1 (private"), "\(error)")
            }
        }
    }
}
