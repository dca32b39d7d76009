import COpenSSL
import FoundationEssentials

/// A proof as a server reads it (RFC 9449 section 4.3), apart from the code that makes it.
package struct DPoPProof: Sendable {
    package let header: JSON
    package let claims: JSON
    /// Whether the signature is ES256 of the key in the header.
    package let isSigned: Bool

    package struct Malformed: Error {}

    /// Reads the compact form of a JWS.
    package init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Malformed() }
        header = try JSON(String(decoding: Self.bytes(parts[0]), as: UTF8.self))
        claims = try JSON(String(decoding: Self.bytes(parts[1]), as: UTF8.self))
        guard let key = header["jwk"], let x = key["x"]?.string, let y = key["y"]?.string else { throw Malformed() }
        // The public key on P-256 as X.509 writes it: the algorithm, then the point.
        let algorithm: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
            0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        isSigned = Self.verifies(
            try Self.bytes(parts[2]), of: Array("\(parts[0]).\(parts[1])".utf8),
            by: algorithm + (try Self.bytes(x[...])) + (try Self.bytes(y[...])))
    }

    /// The digest of a token as a proof names it.
    package static func hash(of token: String) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let message = Array(token.utf8)
        precondition(EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil) == 1)
        let text = Data(digest).base64EncodedString()
        return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func bytes(_ text: Substring) throws -> [UInt8] {
        guard !text.contains("="), !text.contains("+"), !text.contains("/") else { throw Malformed() }
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: plain + padding) else { throw Malformed() }
        return Array(data)
    }

    private static func verifies(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        let numbers = integer(signature[..<32]) + integer(signature[32...])
        let der = [0x30, UInt8(numbers.count)] + numbers
        return publicKey.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &start, bytes.count), let context = EVP_MD_CTX_new() else { return false }
            defer {
                EVP_PKEY_free(key)
                EVP_MD_CTX_free(context)
            }
            return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
        }
    }

    /// A number in DER: the fewest bytes, and a zero before a first bit that is set.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(bytes.drop { $0 == 0 })
        if bytes.isEmpty || bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
        return [0x02, UInt8(bytes.count)] + bytes
    }
}
