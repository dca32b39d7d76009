import Testing

@testable import TokenManager

@Suite struct ParameterTemplateTests {
    @Test(
        "Placeholders stand for a request's values, and all other text for itself",
        arguments: [
            ("plain", []), ("{host}", [.host]), ("a:{host}:b", [.host]), ("{header:X-Tenant}", [.field("x-tenant")]),
            ("{host}{header:a}{host}", [.host, .field("a"), .host]),
        ] as [(String, [RequestParameter])])
    func parameters(_ text: String, _ expected: [RequestParameter]) throws {
        #expect(try ParameterTemplate(text).parameters == expected)
    }

    @Test(
        "A text that nearly is a placeholder is refused, and so is a field that cannot be a parameter",
        arguments: [
            "{", "}", "{}", "{host", "host}", "{Host}", "{path}", "{header}", "{header:}", "{header:a b}", "{{host}}",
            "{header:Authorization}", "{header:cookie}", "{header:Host}", "{header:Connection}",
            "{header:Content-Length}", "{header:Proxy-Authorization}", "{header:TE}", "{header:Expect}",
            "{header:Max-Forwards}", "{header:Via}",
        ])
    func invalid(_ text: String) {
        #expect(throws: ParameterTemplate.Invalid.self) { try ParameterTemplate(text) }
    }

    @Test(
        "A value is accepted only where it has one meaning",
        arguments: [
            (.path, "north-1.a_b~", true), (.path, "a/b", false), (.path, "a%2Fb", false), (.path, "a?b", false),
            (.path, "2001:db8::1", false), (.scope, "read:all", true), (.scope, "a b", false), (.scope, "a\"", false),
            (.scope, "a\\", false), (.scope, "a\u{e9}", false), (.uri, "https://a/b?c=d", true), (.uri, "a#b", false),
            (.uri, "a b", false), (.uri, "2001:db8::1", true), (.uri, "a\r\nb", false), (.scope, "", false),
            (.uri, "%20", true), (.uri, "a%c3%A9b", true), (.uri, "%", false), (.uri, "%4", false),
            (.uri, "%zz", false),
            (.uri, "%%20", false), (.scope, "%", true),
            (.scope, String(repeating: "a", count: 255), true), (.scope, String(repeating: "a", count: 256), false),
        ] as [(ParameterPlace, String, Bool)])
    func values(_ place: ParameterPlace, _ value: String, _ isAllowed: Bool) throws {
        let template = try ParameterTemplate("x{header:T}")
        let request = RequestParameters(fields: ["t": value])
        #expect((try? template.filled(request, for: place)) == (isAllowed ? "x\(value)" : nil))
    }

    @Test("A value cannot lead up in a path", arguments: [("{host}", ".."), ("{host}", "."), (".{host}", ".")])
    func dots(_ text: String, _ host: String) throws {
        let template = try ParameterTemplate(text)
        #expect(throws: UnusableParameter(.host, .path)) {
            try template.filled(RequestParameters(host: host), for: .path)
        }
    }

    @Test("Values of different parameters make different keys, and no key holds a bearer token itself")
    func keys() {
        let parameters: [RequestParameter] = [.field("a"), .field("b")]
        let keys = [("x", "yz"), ("xy", "z"), ("", "xyz"), ("xyz", "")].map {
            ParameterKey(RequestParameters(fields: ["a": $0, "b": $1]), of: parameters)
        }
        #expect(Set(keys).count == 4)
        #expect(ParameterKey(RequestParameters(fields: ["a": "x"]), of: parameters) == nil)
        let key = ParameterKey(RequestParameters(bearerToken: "canary"), of: [.bearerToken])
        #expect(!String(reflecting: key).contains("canary"))
        #expect(key != ParameterKey(RequestParameters(bearerToken: "canarz"), of: [.bearerToken]))
    }
}
