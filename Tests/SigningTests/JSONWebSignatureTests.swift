import Signing
import Support
import Testing

@Suite("JSON Web Signatures against published vectors")
struct JSONWebSignatureTests {
    /// The payload of RFC 7515 appendices A.1 to A.3.
    private static let payload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
    private static let encodedPayload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test func `HS256 makes the signature of RFC 7515 appendix A.1`() {
        let secret: [UInt8] = [
            3, 35, 53, 75, 43, 15, 165, 188, 131, 126, 6, 101, 119, 123, 166, 143, 90, 179, 40, 230, 240, 84, 201, 40,
            169, 15, 132, 178, 210, 80, 46, 191, 211, 251, 90, 146, 210, 6, 71, 239, 150, 138, 180, 195, 119, 98, 61,
            34, 61, 46, 33, 114, 5, 46, 79, 8, 192, 205, 154, 245, 103, 208, 128, 163,
        ]
        let signed = JSONWebSignature.compact(
            header: Array("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8), payload: Array(Self.payload.utf8),
            secret: secret)
        #expect(
            signed == "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.encodedPayload)"
                + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test func `RS256 makes the signature of RFC 7515 appendix A.2`() throws {
        let key = try PrivateKey(pem: Array(SampleKey.rsa.rawValue.utf8))
        let signed = try JSONWebSignature.compact(
            header: Array("{\"alg\":\"RS256\"}".utf8), payload: Array(Self.payload.utf8), key: key, .rs256)
        #expect(
            signed == "eyJhbGciOiJSUzI1NiJ9.\(Self.encodedPayload)"
                + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9"
                + "uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN"
                + "9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIh"
                + "WkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
    }

    @Test func `EdDSA makes the signature of RFC 8037 appendix A.4`() throws {
        let key = try PrivateKey(pem: Array(SampleKey.ed25519.rawValue.utf8))
        let signed = try JSONWebSignature.compact(
            header: Array("{\"alg\":\"EdDSA\"}".utf8), payload: Array("Example of Ed25519 signing".utf8), key: key,
            .edDSA)
        #expect(
            signed == "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
                + ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    }

    @Test(
        "Base64 follows RFC 4648, with either alphabet",
        arguments: [
            ([], "", ""), ([0x66], "Zg", "Zg=="), ([0x66, 0x6f], "Zm8", "Zm8="), ([0x66, 0x6f, 0x6f], "Zm9v", "Zm9v"),
            ([3, 236, 255, 224, 193], "A-z_4ME", "A+z/4ME="),
            ([0xff, 0xef, 0xbe, 0xfb], "_----w", "/++++w=="),
        ] as [([UInt8], String, String)])
    func base64(bytes: [UInt8], url: String, plain: String) {
        #expect(Base64URL.encode(bytes) == url)
        #expect(Base64.encode(bytes) == plain)
    }

    @Test func `HMAC follows RFC 4231, also with a key longer than a block`() {
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        let code = HMACSHA256.code(of: text, key: [UInt8](repeating: 0xaa, count: 131))
        #expect(code.prefix(8) == [0x60, 0xe4, 0x31, 0x59, 0x1e, 0xe0, 0xb6, 0x7f])
        let short = HMACSHA256.code(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(short.prefix(8) == [0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e])
        #expect(HMACSHA256.code(of: [], key: []).count == 32)
    }

    @Test func `Random bytes have the requested number, and differ every time`() {
        #expect(SecureRandom.bytes(0).isEmpty)
        let all = Set((0..<100).map { _ in SecureRandom.bytes(16) })
        #expect(all.count == 100)
        #expect(all.allSatisfy { $0.count == 16 })
    }
}
