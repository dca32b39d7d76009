import ProxyConfiguration
import Testing

@Suite("Messages that quote a wrong value")
struct QuotationTests {
    @Test(
        "Outside credentials, every value is quoted",
        arguments: [
            ("limits: { headTimeout: 5 seconds }", "5 seconds"), ("limits: { headBytes: big }", "big"),
            ("limits: { fieldCount: 1000 }", "1000"), ("workers: many", "many"), ("unmatched: denied", "denied"),
            ("admin: { address: localhost }", "localhost"), ("admin: { address: 10.1.1.1:1 }", "10.1.1.1:1"),
            ("admin: { address: '127.0.0.1:1', allowNonLoopback: yes }", "yes"),
            ("accessLog: { path: /nowhere/log }", "/nowhere/log"), ("routes: [{ match: { host: a_b/c } }]", "a_b/c"),
            ("routes: [{ match: { host: a.example, port: http } }]", "http"),
            ("routes: [{ match: { host: a.example }, name: a b }]", "a b"),
            ("routes: [{ match: { host: a.example }, credential: other }]", "other"),
            ("routes: [{ match: { host: a.example }, tls: { caFile: /var/none } }]", "/var/none"),
        ])
    func quoted(text: String, value: String) {
        let found = problems("\(text)\n")
        #expect(found.contains { $0.hasSuffix(" (found \"\(value)\")") }, "\(found)")
    }

    @Test(
        "User name, password and query of a URL are not quoted, and only the beginning of a long value",
        arguments: [
            ("https://user:password@a.example/x", "https://…@a.example/x"),
            ("https://a.example?key=k", "https://a.example?…"),
            ("a\tb", nil), (String(repeating: "x", count: 200), "\(String(repeating: "x", count: 80))…"),
        ])
    func shortened(value: String, quotation: String?) {
        let found = problems("routes: [{ match: { host: a.example }, upstream: \"\(value)\" }]\n")
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix(" (found \"\(quotation ?? "")\")") == (quotation != nil), "\(found)")
    }

    @Test("In a credential a URL is quoted, but nothing that may be a misplaced secret")
    func credentials() {
        let found = problems(
            """
            unmatched: forward
            credentials:
              a: { type: clientCredentials, tokenUrl: "ftp://idp.example", clientId: c, clientSecret: s, scheme: "a b" }
              b: { type: file, path: /var/none }
              c: { type: file, path: none }

            """)
        #expect(
            found.map { $0.hasSuffix("\")") } == [true, false, true, false], "\(found)")
        #expect(found.first?.hasSuffix(" (found \"ftp://idp.example\")") == true)
    }
}
