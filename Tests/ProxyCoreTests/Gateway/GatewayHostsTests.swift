import HTTPWire
import ProxyCore
import Testing

@Suite("Names of a gateway listener")
struct GatewayHostsTests {
    /// Why a request with these fields is refused; nil if it passes.
    private func refusal(
        _ fields: [String], target: String = "/x", version: String = "1.1", hosts: [String] = [], local: Bool = true
    ) throws -> GatewayHosts.Refusal? {
        let bytes = latin1(head(["GET \(target) HTTP/\(version)"] + fields))
        let parsed = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        do throws(GatewayHosts.Refusal) {
            try GatewayHosts(hosts, takesLocalPages: local).check(parsed, in: bytes.span)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Addresses, localhost and the configured names are known, with any port",
        arguments: [
            "127.0.0.1", "127.0.0.1:3129", "localhost", "LocalHost:8080", "localhost.", "[::1]:3129", "[2001:db8::1]",
            "10.0.0.5:80", "a.localhost:3129", "sidecar", "Sidecar:3129", "sidecar.", "gw.internal.example",
        ])
    func known(_ host: String) throws {
        #expect(try refusal(["Host: \(host)"], hosts: ["sidecar", "gw.internal.example"]) == nil)
        #expect(
            try refusal(
                ["Host: ignored.example"], target: "http://\(host)/x", hosts: ["sidecar", "gw.internal.example"]) == nil
        )
    }

    @Test(
        "A name that a web page could give itself is refused",
        arguments: [
            "evil.example", "evil.example:3129", "127.0.0.1.evil.example", "localhost.evil.example", "sidecar2",
            "x.sidecar", "api.example", "0.0.0.0", "0.0.0.0:3129", "[::]", "[::]:3129", "[0:0::0]",
        ])
    func unknown(_ host: String) throws {
        #expect(try refusal(["Host: \(host)"], hosts: ["sidecar"]) == .host)
        #expect(try refusal(["Host: 127.0.0.1"], target: "http://\(host)/x", hosts: ["sidecar"]) == .host)
    }

    @Test("A request that names no host passes, because no browser sends one")
    func noHost() throws {
        #expect(try refusal([], version: "1.0") == nil)
        #expect(try refusal(["Host:"]) == nil)
    }

    @Test(
        "A page of this machine, of a configured name or of the gateway itself may send requests",
        arguments: [
            "http://127.0.0.1:8080", "http://localhost:3000", "https://localhost", "http://[::1]:1",
            "https://Sidecar:9",
            "http://a.localhost", "http://10.0.0.5:3129",
        ])
    func ownPage(_ origin: String) throws {
        #expect(try refusal(["Host: 10.0.0.5:3129", "Origin: \(origin)"], hosts: ["sidecar"]) == nil)
    }

    @Test(
        "A page of another site may not",
        arguments: [
            "https://evil.example", "http://evil.example:3129", "NULL", "", "http://6.6.6.6", "http://10.0.0.5",
            "http://[2001:db8::1]", "file://", "chrome-extension://abc", "http://localhost.evil.example",
            "http://localhost/x",
            "http://", "http://user@localhost", "http://localhost https://evil.example", "127.0.0.1",
        ])
    func foreignPage(_ origin: String) throws {
        #expect(try refusal(["Host: 10.0.0.5:3129", "Origin: \(origin)"]) == .origin)
        #expect(try refusal(["Host: 10.0.0.5:3129", "Origin: http://localhost", "ORIGIN: \(origin)"]) == .origin)
    }

    @Test("Where local pages are not welcome, only the listener's own and those of known names may send requests")
    func noLocalPages() throws {
        let host = "Host: localhost:9090"
        for origin in ["http://localhost:3000", "http://127.0.0.1:9090", "https://a.localhost", "http://[::1]:9090"] {
            #expect(try refusal([host, "Origin: \(origin)"], hosts: ["sidecar"], local: false) == .origin)
        }
        for origin in ["http://localhost:9090", "http://LocalHost:9090", "https://sidecar:1"] {
            #expect(try refusal([host, "Origin: \(origin)"], hosts: ["sidecar"], local: false) == nil)
        }
    }

    @Test(
        "Where local pages are not welcome, neither are those whose browser names no origin",
        arguments: ["localhost:9090", "127.0.0.1:9090", "[::1]:9090", "a.localhost"])
    func noLocalPagesWithoutOrigin(_ name: String) throws {
        let host = "Host: \(name)"
        #expect(try refusal([host, "Sec-Fetch-Site: same-site"], local: false) == .origin)
        #expect(try refusal([host, "Sec-Fetch-Site: same-origin"], local: false) == nil)
        #expect(try refusal([host, "Sec-Fetch-Site: none"], local: false) == nil)
    }

    @Test("A page without a site of its own may not, and that is told apart")
    func opaquePage() throws {
        #expect(try refusal(["Host: localhost", "Origin: null"]) == .opaqueOrigin)
        #expect(try refusal(["Host: localhost", "Origin: http://localhost", "Origin: null"]) == .opaqueOrigin)
    }

    @Test("A page of the same site may be on another machine, unless the site is an address or localhost")
    func sameSite() throws {
        let host = "Host: gw.internal.example"
        let hosts = ["gw.internal.example", "app.internal.example"]
        #expect(try refusal([host, "Sec-Fetch-Site: same-site"], hosts: hosts) == .origin)
        #expect(try refusal([host, "sec-fetch-site: Same-Site"], hosts: hosts) == .origin)
        #expect(try refusal([host, "Sec-Fetch-Site: same-origin"], hosts: hosts) == nil)
        #expect(try refusal([host, "Sec-Fetch-Site: none"], hosts: hosts) == nil)
        let known = "Origin: https://app.internal.example"
        #expect(try refusal([host, known, "Sec-Fetch-Site: same-site"], hosts: hosts) == nil)
    }

    @Test("Without Origin, the browser's own word decides")
    func fetchSite() throws {
        let host = "Host: 127.0.0.1:3129"
        #expect(try refusal([host, "Sec-Fetch-Site: cross-site"]) == .origin)
        #expect(try refusal([host, "sec-fetch-site: Cross-Site"]) == .origin)
        for value in ["same-origin", "same-site", "none"] {
            #expect(try refusal([host, "Sec-Fetch-Site: \(value)"]) == nil)
        }
        for name in ["localhost:3129", "a.localhost", "[::1]:3129", "10.0.0.5"] {
            #expect(try refusal(["Host: \(name)", "Sec-Fetch-Site: same-site"]) == nil)
        }
        // To a browser, two names of this machine are two sites.
        #expect(try refusal([host, "Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site"]) == nil)
    }
}
