/// The compact form of a JSON Web Signature (RFC 7515 section 7.1): header, payload and signature with dots between.
package enum JSONWebSignature {
    /// A signature with a private key.
    ///
    /// - Parameters:
    ///   - header: The protected header, JSON in UTF-8; its `alg` must be the algorithm's name.
    ///   - payload: The payload's bytes.
    ///   - key: The key.
    ///   - algorithm: The signature algorithm.
    /// - Returns: The three parts.
    /// - Throws: `PrivateKeyProblem` if the algorithm does not fit the key.
    package static func compact(
        header: [UInt8], payload: [UInt8], key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm
    ) throws(PrivateKeyProblem) -> String {
        let input = signingInput(header, payload)
        return input + "." + Base64URL.encode(try key.signature(of: Array(input.utf8), algorithm))
    }

    /// A signature with a shared secret, by HS256.
    package static func compact(header: [UInt8], payload: [UInt8], secret: [UInt8]) -> String {
        let input = signingInput(header, payload)
        return input + "." + Base64URL.encode(HMACSHA256.code(of: Array(input.utf8), key: secret))
    }

    private static func signingInput(_ header: [UInt8], _ payload: [UInt8]) -> String {
        Base64URL.encode(header) + "." + Base64URL.encode(payload)
    }
}
