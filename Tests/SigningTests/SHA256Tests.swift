import Signing
import Testing

@Suite struct SHA256Tests {
    @Test(
        "The digests equal those of FIPS 180-4 and of NIST's short vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func digest(of message: String, is expected: String) {
        #expect(hexadecimal(SHA256(of: Array(message.utf8)).bytes) == expected)
    }

    @Test func `A million bytes are digested`() {
        let digest = SHA256(of: [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(hexadecimal(digest.bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `Every byte value counts`() {
        let digest = SHA256(of: Array(0...255))
        #expect(hexadecimal(digest.bytes) == "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880")
    }

    @Test func `Equal messages have equal digests, and other messages have others`() {
        #expect(SHA256(of: [1, 2, 3]) == SHA256(of: [1, 2, 3]))
        #expect(SHA256(of: [1, 2, 3]) != SHA256(of: [1, 2, 4]))
        #expect(SHA256(of: [1, 2, 3]).bytes.count == SHA256.byteCount)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}
