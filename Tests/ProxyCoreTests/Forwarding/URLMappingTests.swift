import HTTPWire
import ProxyCore
import Testing

@Suite("URLs of the upstream in responses")
struct URLMappingTests {
    private static let origin = Origin(scheme: .https, host: "api.example", port: 443)

    /// The value of a response's field as the app gets it, which sent a request with `Host: asked`.
    private func mapped(
        _ field: String, _ value: String, origin: Origin = Self.origin, path: String = "", preservesHost: Bool = false,
        asked: String = "127.0.0.1:3129", target: String = "/x"
    ) throws -> [String] {
        let request = latin1(head(["GET \(target) HTTP/1.0"] + (asked.isEmpty ? [] : ["Host: \(asked)"])))
        let requestHead = try #require(try RequestHead.parse(request.span, limits: HeadLimits()))
        let urls = UpstreamURLs(origin, path: path, preservesHost: preservesHost)
        let mapping = URLMapping(urls)
        // What the mapping held before must have no effect.
        let other = latin1(head(["GET / HTTP/1.1", "Host: before.example"]))
        let otherHead = try #require(try RequestHead.parse(other.span, limits: HeadLimits()))
        mapping.begin(UpstreamURLs(Origin(scheme: .http, host: "b", port: 1)), for: otherHead, in: other.span)
        mapping.begin(urls, for: requestHead, in: request.span)
        let bytes = latin1(head(["HTTP/1.1 204 No Content", "Server: s", "\(field): \(value)", "Age: 1"]))
        let parsed = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        var out = OutputBuffer()
        _ = DownstreamResponseHead(
            parsed, in: bytes.span, answering: .init(version: .http11, isPersistent: true, isComplete: true),
            draining: false, mapping: mapping, to: &out)
        let lines = out.text.split(separator: "\r\n" as Character).map(String.init)
        #expect(lines.first == "HTTP/1.1 204 No Content")
        #expect(lines.contains("Server: s"))
        #expect(lines.suffix(2) == ["Age: 1", "Via: 1.1 attache"])
        return lines.filter { $0.lowercased().hasPrefix("\(field.lowercased()): ") }
            .map { String($0.dropFirst(field.count + 2)) }
    }

    @Test(
        "A URL of the upstream's origin gets the authority that the app has named",
        arguments: [
            ("https://api.example/users/5?a=b#c", "http://127.0.0.1:3129/users/5?a=b#c"),
            ("https://api.example", "http://127.0.0.1:3129/"), ("https://api.example?q", "http://127.0.0.1:3129/?q"),
            ("HTTPS://API.Example:443/x", "http://127.0.0.1:3129/x"),
            ("https://api.example./x", "http://127.0.0.1:3129/x"),
            ("//api.example/x", "http://127.0.0.1:3129/x"), ("//api.example:443/x", "http://127.0.0.1:3129/x"),
            ("https://api.example/a/../b", "http://127.0.0.1:3129/a/../b"),
        ], ["Location", "content-location"])
    func ownOrigin(_ row: (String, String), _ field: String) throws {
        #expect(try mapped(field, row.0) == [row.1])
    }

    @Test(
        "Every other reference stays as it is",
        arguments: [
            "/users/5", "users", "../x", "?page=2", "#f", "", "/", "http://api.example/x", "https://api.example:8443/x",
            "https://api.example.evil/x", "https://evil.example/?u=https://api.example/", "//other.example/x",
            "https://user@api.example/x", "https://api.example@evil.example/", "https://api.example:0/", "https://",
            "https:/api.example/x", "//", "ftp://api.example/x", "mailto:a@api.example", "https://127.0.0.1:3129/x",
            "https://api.example#f", "ht", "api.example/x",
        ])
    func otherReference(_ value: String) throws {
        #expect(try mapped("Location", value) == [value])
    }

    @Test(
        "The path of the upstream is left out of references below it",
        arguments: [
            ("https://api.example/v2/users", "http://127.0.0.1:3129/users"),
            ("https://api.example/v2", "http://127.0.0.1:3129/"),
            ("https://api.example/v2?q", "http://127.0.0.1:3129/?q"),
            ("/v2/users?x#y", "/users?x#y"), ("/v2", "/"), ("/v2?q", "/?q"), ("/v2/", "/"), ("/v2#f", "/#f"),
            // Not below it, or perhaps not.
            ("https://api.example/login", "https://api.example/login"),
            ("https://api.example/v20", "https://api.example/v20"),
            ("https://api.example", "https://api.example"), ("/login", "/login"), ("/v20/x", "/v20/x"),
            ("/V2/x", "/V2/x"),
            ("https://api.example/v2/../admin", "https://api.example/v2/../admin"), ("/v2/%2e%2e/a", "/v2/%2e%2e/a"),
            ("/v2/a?b=/../c", "/a?b=/../c"), ("users", "users"),
            // Without the path it would name another host.
            ("/v2//evil.example/x", "/v2//evil.example/x"), ("/v2/\\evil.example", "/v2/\\evil.example"),
            ("/v2/\t/evil.example", "/v2/\t/evil.example"),
            ("https://api.example/v2//x", "http://127.0.0.1:3129//x"),
        ])
    func joinedPath(_ value: String, _ expected: String) throws {
        #expect(try mapped("Location", value, path: "/v2") == [expected])
    }

    @Test("An app that has named no authority gets the path alone")
    func withoutHost() throws {
        #expect(try mapped("Location", "https://api.example/x", asked: "") == ["/x"])
        #expect(try mapped("Location", "https://api.example", asked: "") == ["/"])
        #expect(
            try mapped("Location", "https://api.example//evil.example/", asked: "") == [
                "https://api.example//evil.example/"
            ])
    }

    @Test("A forward proxy's app gets the URL that it asked for, with its scheme")
    func absoluteTarget() throws {
        for (target, start) in [
            ("http://a.example:81/x", "http://a.example:81"), ("https://a.example/", "https://a.example"),
        ] {
            #expect(
                try mapped("Location", "https://api.example/v2/new", path: "/v2", target: target) == ["\(start)/new"])
        }
    }

    @Test("A backend that gets the app's Host takes it for its own authority, with either scheme")
    func preservedHost() throws {
        for scheme in ["http", "https"] {
            let value = "\(scheme)://shop.example:3129/v2/x"
            let mapped = try mapped("Location", value, path: "/v2", preservesHost: true, asked: "Shop.example:3129")
            #expect(mapped == ["http://Shop.example:3129/x"])
            #expect(try self.mapped("Location", value, path: "/v2", asked: "shop.example:3129") == [value])
        }
        #expect(
            try mapped("Location", "https://shop.example/", preservesHost: true, asked: "") == ["https://shop.example/"]
        )
    }

    @Test(
        "An upstream with an address or a port of its own is recognised in every spelling",
        arguments: [
            (Origin(scheme: .http, host: "2001:db8::1", port: 8080), "http://[2001:DB8:0::1]:8080/x"),
            (Origin(scheme: .http, host: "10.0.0.1", port: 80), "http://10.0.0.1/x"),
            (Origin(scheme: .http, host: "10.0.0.1", port: 80), "http://10.0.0.1:80/x"),
        ])
    func addresses(_ origin: Origin, _ value: String) throws {
        #expect(try mapped("Location", value, origin: origin) == ["http://127.0.0.1:3129/x"])
    }

    @Test(
        "A cookie's Domain that covers the upstream's host is left out, and no other",
        arguments: [
            ("a=b; Domain=api.example", "a=b"), ("a=b; domain = .API.example ; Secure", "a=b; Secure"),
            ("a=b;Domain=example;HttpOnly", "a=b;HttpOnly"), ("a=b; Path=/x; Domain=.example", "a=b; Path=/x"),
            ("a=b; Domain=other.example", "a=b; Domain=other.example"),
            ("a=b; Domain=i.example", "a=b; Domain=i.example"),
            ("a=b; Domain=", "a=b; Domain="), ("a=b; Domain", "a=b; Domain"),
            ("Domain=api.example", "Domain=api.example"),
            ("a=b; Domain=x.api.example", "a=b; Domain=x.api.example"),
            ("a=\"; Domain=api.example\"", "a=\"; Domain=api.example\""),
            ("a=b; Secure; SameSite=None; Path=/", "a=b; Secure; SameSite=None; Path=/"), ("a=b;;", "a=b;;"), ("", ""),
        ])
    func cookieDomain(_ value: String, _ expected: String) throws {
        #expect(try mapped("Set-Cookie", value) == [expected])
    }

    @Test("A cookie's Domain is a part of an address only if it is the whole address")
    func cookieOfAddress() throws {
        let origin = Origin(scheme: .http, host: "10.0.0.1", port: 80)
        #expect(try mapped("Set-Cookie", "a=b; Domain=10.0.0.1", origin: origin) == ["a=b"])
        #expect(try mapped("Set-Cookie", "a=b; Domain=0.0.1", origin: origin) == ["a=b; Domain=0.0.1"])
    }

    @Test(
        "A cookie's Path loses the upstream's path, and covers all if it is above that",
        arguments: [
            ("a=b; Path=/v2/users", "a=b; Path=/users"), ("a=b; path=/v2", "a=b; Path=/"),
            ("a=b; Path=/v2/; Secure", "a=b; Path=/; Secure"),
            ("a=b; Path=/", "a=b; Path=/"), ("a=b; Path=/v20", "a=b; Path=/v20"),
            ("a=b; Path=/login", "a=b; Path=/login"),
            ("a=b; Path=v2", "a=b; Path=v2"), ("a=b; Path=/v", "a=b; Path=/v"), ("a=b; Path=", "a=b; Path="),
            ("a=b", "a=b"),
        ])
    func cookiePath(_ value: String, _ expected: String) throws {
        #expect(try mapped("Set-Cookie", value, path: "/v2") == [expected])
    }

    @Test("A cookie's Path that names the beginning of a longer upstream's path covers all")
    func cookiePathAbove() throws {
        for above in ["/", "/a", "/a/"] {
            #expect(try mapped("Set-Cookie", "a=b; Path=\(above)", path: "/a/b") == ["a=b; Path=/"])
        }
        #expect(try mapped("Set-Cookie", "a=b; Path=/a/c", path: "/a/b") == ["a=b; Path=/a/c"])
    }

    @Test(
        "Other fields keep the upstream's URLs",
        arguments: ["Link", "Refresh", "X-Location", "Access-Control-Allow-Origin"])
    func otherField(_ name: String) throws {
        #expect(try mapped(name, "https://api.example/x", path: "/v2") == ["https://api.example/x"])
    }

    @Test("A forward proxy maps nothing")
    func forward() throws {
        let lines = [
            "HTTP/1.1 204 No Content", "Location: https://api.example/x", "Set-Cookie: a=b; Domain=api.example",
        ]
        let bytes = latin1(head(lines))
        let parsed = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        var out = OutputBuffer()
        _ = DownstreamResponseHead(
            parsed, in: bytes.span, answering: .init(version: .http11, isPersistent: true, isComplete: true),
            draining: false, to: &out)
        #expect(out.text == head(lines + ["Via: 1.1 attache"]))
    }
}
