import Testing

@testable import TokenManager

@Suite struct ServerNoncesTests {
    private static func response(_ status: Int, nonce: String?, _ body: String = "{}") -> TokenResponse {
        TokenResponse(status: status, dpopNonce: nonce, body: Array(body.utf8))
    }

    @Test func `The newest nonce of a server is kept for all its addresses, and for no other server`() throws {
        var nonces = ServerNonces()
        let url = try TokenURL("https://idp.test/token")
        #expect(nonces[url] == nil)
        #expect(nonces.answered(.success(Self.response(200, nonce: "n1")), from: url) == false)
        #expect(nonces.answered(.success(Self.response(200, nonce: "n2")), from: url) == false)
        #expect(nonces[url] == "n2")
        #expect(nonces[try TokenURL("https://idp.test/other")] == "n2")
        #expect(nonces[try TokenURL("https://idp.test:8443/token")] == nil)
        #expect(nonces[try TokenURL("http://idp.test/token")] == nil)
    }

    @Test func `A refusal for a missing nonce that it brings may be answered by another proof`() throws {
        var nonces = ServerNonces()
        let url = try TokenURL("https://idp.test/token")
        let refusal = Self.response(400, nonce: "n1", #"{"error":"use_dpop_nonce"}"#)
        #expect(nonces.answered(.success(refusal), from: url) == true)
        #expect(nonces[url] == "n1")
    }

    @Test func `A missing response, or an invalid nonce, changes nothing`() throws {
        var nonces = ServerNonces()
        let url = try TokenURL("https://idp.test/token")
        #expect(nonces.answered(.failure(TokenTransportError(message: "broken")), from: url) == false)
        #expect(nonces.answered(.success(Self.response(400, nonce: nil)), from: url) == false)
        #expect(nonces.answered(.success(Self.response(400, nonce: "a b\"")), from: url) == false)
        #expect(nonces[url] == nil)
    }
}
