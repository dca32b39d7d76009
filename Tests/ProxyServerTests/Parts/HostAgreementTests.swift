import EventTransport
import HTTPWire
import Support
import Testing
import TokenManager

@testable import ProxyConfiguration

/// A host means the same wherever it is read: in a request, in a configuration, in the address of a token server, and where
/// it is connected to.
@Suite("Hosts and ports, wherever they are read")
struct HostAgreementTests {
    @Test(
        "Requests, backends and token servers accept the same ones, in one spelling",
        arguments: [
            ("a.example", "a.example"), ("A.Example", "a.example"), ("a", "a"), ("a_b.example", "a_b.example"),
            ("a~b.example", "a~b.example"), ("-a-.example", "-a-.example"), ("1.a", "1.a"), ("a.1b", "a.1b"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("b\u{fc}cher.example", nil), ("a%41.example", nil),
            ("a..example", nil), (".example", nil), (".", nil), ("", nil), ("*.example", nil), ("a,b", nil),
            ("a b", nil),
            ("\(label(63)).example", "\(label(63)).example"), ("\(label(64)).example", nil), ("a.\(label(64))", nil),
            (
                "\(label(63)).\(label(63)).\(label(63)).\(label(61))",
                "\(label(63)).\(label(63)).\(label(63)).\(label(61))"
            ),
            ("\(label(63)).\(label(63)).\(label(63)).\(label(62))", nil),
            ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("127.1", nil), ("1.2.3", nil),
            ("2130706433", nil), ("0x7f000001", nil), ("0x7f.0.0.1", nil), ("0177.0.0.1", nil), ("127.0.0.01", nil),
            ("256.0.0.1", nil), ("1.2.3.4.", nil), ("1.2.3.4.5", nil), ("a.0x1f", nil), ("a.0xg", "a.0xg"),
            ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[2001:DB8:0::1]", "2001:db8::1"),
            ("[::ffff:1.2.3.4]", "1.2.3.4"), ("::1", nil), ("[::1", nil), ("[]", nil), ("[:::]", nil),
            ("[1:2]", nil), ("[1.2.3.4]", nil), ("[fe80::1%eth0]", nil), ("[fe80::1%25eth0]", nil), ("[v1.a]", nil),
            ("[::1]a", nil), ("a.example:80", "a.example 80"), ("a.example:00080", "a.example 80"),
            ("a.example:000080", nil), ("a.example:", nil), ("a.example:0", nil),
            ("a.example:65535", "a.example 65535"),
            ("a.example:65536", nil), ("a.example:+80", nil), ("a.example:0x50", nil), ("a.example:8\u{664}", nil),
            ("a.example:80:80", nil), ("[::1]:8080", "::1 8080"), ("[::1]:", nil), (":80", nil), ("u@a.example", nil),
            ("u:p@a.example:80", nil),
        ] as [(String, String?)])
    func table(_ text: String, _ expected: String?) {
        #expect(Self.written(text) == expected)
        #expect(Self.requested(text) == expected)
        #expect(Self.tokenServer(text) == expected)
    }

    @Test("A final dot names the same host in a request, and is refused in a configured host")
    func finalDot() {
        #expect(Self.requested("a.example.") == "a.example")
        #expect(Self.written("a.example.") == nil)
        #expect(Self.tokenServer("a.example.") == nil)
    }

    @Test("The connector accepts the same addresses, and agrees on loopback")
    func addresses() throws {
        for text in [
            "127.0.0.1", "127.9.9.9", "::1", "::", "0.0.0.0", "10.1.2.3", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "2001:db8::1", "::ffff:7.240.0.1", "::127.0.0.1",
        ] {
            let host = try Host(text)
            let address = try #require(IPAddress(literal: host.text))
            #expect(host.isAddress && address.isLoopback == host.isLoopback, "\(text)")
        }
    }

    @Test("All parsers agree on any text")
    func anything() {
        var generator = SeededGenerator(seed: 0x4057)
        let pieces = [
            "a", "B", "1", "0", "127", "256", ".", "..", ":", "::", "[", "]", "-", "_", "~", "%", "%25", "0x", "f", "@",
            "80",
            "ffff", "1.2.3.4", "+", "g", "\u{e9}",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...7, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let written = Self.written(text)
            #expect(Self.tokenServer(text) == written, "\(text)")
            // A final dot is the one difference.
            if !text.hasSuffix("."), text.firstRange(of: ".:") == nil {
                #expect(Self.requested(text) == written, "\(text)")
            }
            guard let host = try? Host(text) else { continue }
            accepted += 1
            #expect((IPAddress(literal: host.text) != nil) == host.isAddress, "\(text)")
        }
        #expect(accepted > 1000)
    }

    private static func label(_ count: Int) -> String { String(repeating: "a", count: count) }

    /// As the URL of a backend names it: the host without brackets, and the port where there is one.
    private static func written(_ text: String) -> String? {
        (try? URLText.backend("http://\(text)")).map { shown($0.host, $0.port) }
    }

    private static func tokenServer(_ text: String) -> String? {
        guard let url = try? TokenURL("http://\(text)/") else { return nil }
        // It fills in the port of its scheme.
        let isNamed = (try? HostAndPort(text))?.port != nil
        return shown(url.host, isNamed ? url.port : nil)
    }

    /// As a request names it, in the spelling that routes compare.
    private static func requested(_ text: String) -> String? {
        let bytes = Array("GET http://\(text)/ HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        guard let head = try? RequestHead.parse(bytes.span, limits: HeadLimits()),
            case .absolute(_, let range, let port, _) = head.target
        else { return nil }
        var host = String(decoding: bytes[range.lowerBound..<range.upperBound], as: UTF8.self)
        if host.hasSuffix(".") { host.removeLast() }
        return (try? Host(host)).map { shown($0.text, port) }
    }

    private static func shown(_ host: String, _ port: UInt16?) -> String { port.map { "\(host) \($0)" } ?? host }
}
