import FoundationEssentials
import Testing
import TokenManager

@Suite("The claims of a JWT, for a person")
struct TokenClaimsTests {
    private func token(_ payload: String, header: String = #"{"alg":"ES256","typ":"at+jwt"}"#) -> String {
        [header, payload].map(Self.base64URL).joined(separator: ".") + ".c2lnbmF0dXJl"
    }

    @Test("are read with their times, in the order of the names")
    func claims() throws {
        let claims = try #require(
            TokenClaims(token(#"{"sub":"app","exp":1700000000,"aud":["a","b"],"n":1.5,"x":{"b":null,"a":true}}"#)))
        #expect(claims.algorithm == "ES256")
        #expect(claims.claims.map(\.name) == ["aud", "exp", "n", "sub", "x"])
        let texts = [#"["a", "b"]"#, "1700000000", "1.5", #""app""#, #"{"a": true, "b": null}"#]
        #expect(claims.claims.map(\.text) == texts)
        #expect(claims.claims.map(\.time) == [nil, 1_700_000_000, nil, nil, nil])
    }

    @Test("cannot bring control characters or direction marks to a terminal")
    func control() throws {
        let claims = try #require(TokenClaims(token("{\"a\":\"\\u001b[31m\\u202e\\n\\\"\"}")))
        #expect(claims.claims.map(\.text) == [#""\u001b[31m\u202e\n\"""#])
    }

    @Test("cannot bring them in their names either")
    func controlInNames() throws {
        let header = "{\"alg\":\"A\\u001b]0;x\\u0007\\n\"}"
        let claims = try #require(TokenClaims(token("{\"\\u001b[2J\\na\\u2066\":1}", header: header)))
        #expect(claims.algorithm == #"A\u001b]0;x\u0007\n"#)
        #expect(claims.claims.map(\.name) == [#"\u001b[2J\na\u2066"#])
    }

    @Test(
        "are absent if the text is not a JWT",
        arguments: ["", "abc", "a.b.c", "..", "e30.e30", "e30.e30.x", "e30.bnVsbA.x"])
    func none(text: String) {
        #expect(TokenClaims(text) == nil)
    }

    @Test("are absent if it is nested too deep for a person", arguments: [("[", "]"), ("{\"a\":", "}")])
    func deep(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            let most = String(repeating: open, count: levels - 2) + "[1]" + String(repeating: close, count: levels - 2)
            return "{\"a\":\(most)}"
        }
        let claims = try #require(TokenClaims(token(nested(TokenClaims.mostLevels))))
        #expect(claims.claims.first?.text.count { "[{".contains($0) } == TokenClaims.mostLevels - 1)
        for levels in [TokenClaims.mostLevels + 1, 400, 100_000] {
            #expect(TokenClaims(token(nested(levels))) == nil)
        }
        #expect(TokenClaims(token("{}", header: nested(TokenClaims.mostLevels + 1))) == nil)
        // What is shut again does not count, nor does what is quoted.
        let flat = String(repeating: open + "1" + close + ",", count: 100)
        #expect(TokenClaims(token("{\"a\":[\(flat)1]}")) != nil)
        let quoted = String(repeating: "[{\\\"[{", count: 100)
        #expect(TokenClaims(token("{\"a\":\"\(quoted)\\\\\"}")) != nil)
    }

    @Test("are absent if it is not in UTF-8, so that the depth is what the decoder sees")
    func otherEncodings() {
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16] {
            let bytes = Array("{\"a\":1}".data(using: encoding) ?? Data())
            #expect(TokenClaims("\(Self.base64URL("{\"alg\":\"x\"}")).\(Self.base64URL(bytes)).c2ln") == nil)
        }
        #expect(TokenClaims(token("\u{feff}{\"a\":1}")) == nil)
    }

    private static func base64URL(_ text: String) -> String { base64URL(Array(text.utf8)) }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (out, bits, count) = ("", 0, 0)
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 6 {
                count -= 6
                out.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { out.append(alphabet[bits << (6 - count) & 63]) }
        return out
    }
}
