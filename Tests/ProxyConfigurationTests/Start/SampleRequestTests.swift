import ProxyConfiguration
import Testing
import TokenManager

@Suite("The options that describe a request")
struct SampleRequestTests {
    private static let file = """
        credentials:
          plain: { type: clientCredentials, tokenUrl: "https://idp.example/t", clientId: c, clientSecret: s }
          tenants:
            type: clientCredentials
            tokenUrl: https://idp.example/t
            clientId: c
            clientSecret: s
            scope: "read:{header:X-Tenant} {header:X-Tenant}:{header:X-Part}"
            audience: "https://{host}/"
          callers:
            type: tokenExchange
            tokenUrl: https://idp.example/t
            subjectToken: { header: Authorization }
        unmatched: forward
        """

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var host: String?
        var fields: [String] = []
        var files: [String] = []
        var problems: [String]
        var testDescription: String { "\(name) \(host ?? "") \(fields) \(files)" }
    }

    private static let files = FakeFiles(files: [
        "/fields": Array("X-Tenant: from-file\r\n\nX-Part:\tp \n".utf8),
        "/caller": Array("Authorization: bearer  canary-caller\n".utf8),
        "/basic": Array("Authorization: Basic canary\n".utf8),
        "/odd": Array("X-Tenant: a\ncanary\nX-Other: canary\n\u{1b}: canary\n".utf8),
    ])

    private func parameters(
        of name: String, host: String? = nil, fields: [String] = [], files: [String] = [], input: String = ""
    ) throws -> RequestParameters {
        var sample = SampleRequest()
        sample.host = host
        sample.fields = fields
        sample.fieldFiles = files
        return try sample.parameters(
            for: name, of: try load(Self.file), files: Self.files, input: { Array(input.utf8) })
    }

    @Test("Host and fields come from options, from files and from standard input")
    func values() throws {
        let expected = RequestParameters(host: "api.example", fields: ["x-tenant": "north", "x-part": "p"])
        let byOptions = try parameters(
            of: "tenants", host: "API.example", fields: ["X-Tenant:north", "x-part:  p \t"])
        #expect(byOptions == expected)
        let byInput = try parameters(
            of: "tenants", host: "api.example", fields: ["x-PART: p"], files: ["-"], input: "X-Tenant: north\n")
        #expect(byInput == expected)
        let byFile = try parameters(of: "tenants", host: "api.example", files: ["/fields"])
        #expect(byFile.fields == ["x-tenant": "from-file", "x-part": "p"])
        for host in ["::1", "[::1]"] {
            let byAddress = try parameters(of: "tenants", host: host, files: ["/fields"])
            #expect(byAddress.host == "[::1]", "as in a request's target")
        }
        let caller = try parameters(of: "callers", files: ["/caller"])
        #expect(caller == RequestParameters(bearerToken: "canary-caller"))
        let plain = try parameters(of: "plain")
        #expect(plain == RequestParameters())
    }

    static let cases: [Case] = [
        Case(
            name: "tenants", host: "api.example",
            problems: [
                "credential tenants: its token depends on a field of the request; add --field 'x-tenant: …'",
                "credential tenants: its token depends on a field of the request; add --field 'x-part: …'",
            ]),
        Case(
            name: "tenants", files: ["/fields"],
            problems: [
                "credential tenants: its token depends on the host of the request; "
                    + "add --host, as in --host backend.example"
            ]),
        Case(
            name: "callers",
            problems: [
                "credential callers: its token is exchanged for the request's own; add --field-file FILE, "
                    + "where FILE holds the line Authorization: Bearer …, or is - for standard input"
            ]),
        Case(
            name: "callers", fields: ["Authorization: Bearer canary"],
            problems: [
                "--field: holds a token, and every process of the machine can read a command line; "
                    + "write the field into a file and give --field-file FILE, or - for standard input"
            ]),
        Case(
            name: "callers", files: ["/basic"],
            problems: [
                "/basic:1:1: --field-file: is not a bearer token; "
                    + "write Authorization: Bearer and the token to exchange"
            ]),
        Case(
            name: "callers", files: ["/nowhere"],
            problems: [
                "--field-file: /nowhere: no such file; correct the path or the file",
                "credential callers: its token is exchanged for the request's own; add --field-file FILE, "
                    + "where FILE holds the line Authorization: Bearer …, or is - for standard input",
            ]),
        Case(
            name: "plain", host: "h.example", fields: ["X-Tenant: canary", "Authorization: canary"],
            problems: [
                "--host: the host has no effect on the token of credential plain; leave it out",
                "--field[0]: the field x-tenant has no effect on the token of credential plain; leave it out",
                "--field[1]: Authorization has no effect on the token of credential plain; leave it out",
            ]),
        Case(
            name: "tenants", host: "https://canary/", fields: ["X-Part: p", "x-part: canary"], files: ["/odd"],
            problems: [
                "--host: is not a host name; write one as in backend.example, without scheme, port or path",
                "--field[1]: the field x-part is given twice; keep one",
                "/odd:2:1: --field-file: is not a field; write name and value, as in X-Tenant: north",
                "/odd:3:1: --field-file: the field x-other has no effect on the token of credential tenants; "
                    + "leave it out",
                "/odd:4:1: --field-file: is not a field; write name and value, as in X-Tenant: north",
            ]),
        Case(
            name: "tenants", host: "h.example", fields: ["X-Part:", "X-Tenant: a\u{7}canary"],
            problems: [
                "--field[0]: is empty; write the value of the field or leave the key out",
                "--field[1]: contains a line break or another control character; write one line of plain text",
            ]),
    ]

    @Test("Missing, wrong and useless options are reported by name, and no value is quoted", arguments: cases)
    func problems(_ wrong: Case) throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try parameters(of: wrong.name, host: wrong.host, fields: wrong.fields, files: wrong.files)
        }
        #expect(error.problems.map(\.description) == wrong.problems)
        #expect(!error.description.contains("canary"))
    }
}
