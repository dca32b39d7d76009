import ProxyCore
import Testing
import TokenManager

@Suite("A parent proxy")
struct UpstreamProxyTests {
    private typealias Exception = UpstreamProxy.Exception

    private static func proxy() throws -> UpstreamProxy {
        let exceptions = [
            Exception(hosts: .pattern(.exact("a.example"))), Exception(hosts: .pattern(.suffix(".b.example"))),
            Exception(hosts: .pattern(.exact("c.example")), port: 8443),
            Exception(hosts: .pattern(.exact("2001:db8::1"))),
            Exception(hosts: .network(try Network("10.0.0.0/8")), port: 80),
        ]
        return UpstreamProxy(host: "proxy.example", port: 3128, noProxy: exceptions)
    }

    @Test(
        "leads to every host but its exceptions",
        arguments: [
            ("a.example", 443, false), ("x.a.example", 443, true), ("aa.example", 443, true), ("b.example", 443, true),
            ("x.b.example", 80, false), ("xb.example", 80, true), ("c.example", 8443, false), ("c.example", 443, true),
            ("2001:db8::1", 1, false), ("2001:db8::2", 1, true), ("10.1.2.3", 80, false), ("10.1.2.3", 443, true),
            ("11.1.2.3", 80, true), ("a.example.", 443, false), ("x.b.example.", 80, false), ("c.example.", 443, true),
        ] as [(String, UInt16, Bool)])
    func leads(host: String, port: UInt16, leads: Bool) throws {
        #expect(try Self.proxy().leads(to: host, port: port) == leads)
    }

    @Test(
        "never leads to this machine or its link",
        arguments: [
            "localhost", "x.localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:7f00:1", "169.254.169.254",
            "::ffff:a9fe:a9fe", "fe80::1", "febf::1", "localhost.", "x.localhost.",
        ])
    func local(host: String) {
        #expect(!UpstreamProxy(host: "proxy.example", port: 1).leads(to: host, port: 80))
    }

    @Test(
        "leads to what only looks like this machine", arguments: ["localhost.example", "128.0.0.1", "fec0::1", "::2"])
    func remote(host: String) {
        #expect(UpstreamProxy(host: "proxy.example", port: 1).leads(to: host, port: 80))
    }

    @Test("shows no password")
    func secrecy() {
        let proxy = UpstreamProxy(
            host: "proxy.example", port: 1, credentials: .init(username: "u", password: .literal("canary")))
        var dumped = ""
        dump(proxy, to: &dumped)
        dump(ParentAuthorization(line: Array("canary".utf8)), to: &dumped)
        #expect(!dumped.contains("canary") && !"\(proxy)".contains("canary") && !dumped.contains("- 99"))
    }
}

@Suite("A network")
struct NetworkTests {
    @Test(
        "contains the addresses that begin with its bits",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::ffff:a00:1", true),
            ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
            ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false), ("1.2.3.4/32", "1.2.3.4", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
            ("2001:db8::/33", "2001:db8:8000::", false), ("::/0", "fe80::1", true), ("::1/128", "::1", true),
            ("10.0.0.0/8", "ten.example", false), ("1:2:3:4:5:6:7:8/128", "1:2:3:4:5:6:7:8", true),
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.2", false), ("fd00::1", "fd00::1", true),
        ])
    func contains(text: String, host: String, contains: Bool) throws {
        #expect(try Network(text).contains(host) == contains)
    }

    @Test(
        "is an address and perhaps a number of bits",
        arguments: [
            "10.0.0.0/", "10.0.0.0/a", "[::1]", "[::1]/128", "a.test", "10/8", "::ffff:10.0.0.0/104", "10.0.0.0/33",
            "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "::/129", "/8", "a/8", "", "10.0.0.0/8/8",
        ])
    func unreadable(text: String) {
        #expect(throws: Network.Problem.self) { try Network(text) }
    }
}
