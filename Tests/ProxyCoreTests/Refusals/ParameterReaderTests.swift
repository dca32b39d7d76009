import HTTPWire
import ProxyCore
import Testing
import TokenManager

@Suite("The parameters that a request has for its token")
struct ParameterReaderTests {
    /// The values, and whether the key made of the head is the one made of them.
    private func read(
        _ parameters: [RequestParameter], _ fields: [String] = [], target: String = "http://a.example/"
    ) throws -> RequestParameters {
        let bytes = latin1(head(["GET \(target) HTTP/1.1", "Host: x"] + fields))
        let request = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        let reader = ParameterReader(parameters)
        let values = try reader.values(in: request, bytes.span)
        var key = ParameterKey()
        try reader.fill(&key, from: request, in: bytes.span)
        #expect(key == ParameterKey(values, of: parameters))
        return values
    }

    @Test(
        "The host is the target's, in lower case and without port, an IPv6 address in its brackets",
        arguments: [
            ("http://A.Example/", "a.example"), ("http://a.example:8080/x", "a.example"), ("http://[::1]:80/", "[::1]"),
            ("https://[FE80::A]", "[fe80::a]"),
        ])
    func host(target: String, value: String) throws {
        #expect(try read([.host], target: target).host == value)
    }

    @Test("A field is found by its name in any case, and must occur once")
    func field() throws {
        let tenant = RequestParameter.field("x-tenant")
        #expect(try read([tenant], ["X-TENANT:  One, two "])[tenant] == "One, two")
        #expect(throws: ProxyError.self) { try read([tenant]) }
        #expect(throws: ProxyError.self) { try read([tenant], ["X-Tenant: a", "x-tenant: a"]) }
        #expect(throws: ProxyError.self) { try read([tenant], ["X-Tenants: a"]) }
    }

    @Test(
        "The bearer token follows its scheme, which may be in any case",
        arguments: [("Bearer abc", "abc"), ("bEaReR   a.b-c", "a.b-c"), ("Bearer a b", "a b")])
    func bearerToken(value: String, token: String) throws {
        #expect(try read([.bearerToken], ["authorization: \(value)"]).bearerToken == token)
    }

    @Test(
        "A request without exactly one bearer token is refused with the reason",
        arguments: [
            [], ["Authorization:"], ["Authorization: Bearer"], ["Authorization: Bearer "],
            ["Authorization: Bearer\tabc"],
            ["Authorization: Bearerabc"], ["Authorization: Basic abc"], ["Authorization: DPoP abc"],
            ["Authorization: Bearer a", "Authorization: Bearer a"],
            ["Authorization: Basic a", "authorization: Bearer b"],
        ])
    func noBearerToken(fields: [String]) throws {
        #expect(throws: ProxyError.self) { try read([.bearerToken], fields) }
    }
}
