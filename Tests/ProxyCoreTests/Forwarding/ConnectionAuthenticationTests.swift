import HTTPWire
import ProxyCore
import Testing

@Suite struct ConnectionAuthenticationTests {
    @Test(
        "A challenge of NTLM or Negotiate is found in every line, and no other text is taken for one",
        arguments: [
            (["NTLM"], true), (["negotiate"], true), (["Negotiate YII="], true), (["Basic realm=\"x\", NTLM"], true),
            (["Bearer", "Bearer realm=\"a, b\", Negotiate"], true), (["Basic realm=\", NTLM\""], false),
            (["Bearer realm=\"Negotiate\""], false), (["NTLMv2"], false), (["Basic realm=x"], false), ([], false),
        ])
    func challenge(_ values: [String], _ isOffered: Bool) throws {
        for status in ["401 Unauthorized", "200 OK"] {
            let bytes = latin1(
                head(["HTTP/1.1 \(status)", "Content-Length: 0"] + values.map { "WWW-Authenticate: \($0)" }))
            let parsed = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
            let found = ConnectionAuthentication.isOffered(parsed, in: bytes.span)
            #expect(found == isOffered)
        }
    }

    @Test("An app's own NTLM or Negotiate counts only if it is forwarded")
    func request() throws {
        for value in ["NTLM TlRM", "negotiate YII="] {
            let line = "Authorization: \(value)"
            #expect(try Forwarding(credential: nil).authenticatesConnection(line))
            #expect(try Forwarding(keepsAuthorization: true).authenticatesConnection(line))
            #expect(try !Forwarding().authenticatesConnection(line))
        }
        #expect(try !Forwarding(credential: nil).authenticatesConnection("Authorization: Bearer NTLM"))
    }
}
