private import COpenSSL

// SAFETY: `key` and `prepared` are made in init, freed in deinit, lent to calls only and never leave this type. Nothing
// changes them after init, and OpenSSL lets several threads sign with one key and copy one context.
/// A private key of RSA, EC P-256 or Ed25519 for signatures, held by OpenSSL.
///
/// Immutable. Its memory is erased when it is released, and no description shows it.
@safe
package struct PrivateKey: ~Copyable, @unchecked Sendable {
    /// The kind of a key.
    package enum Kind: Sendable, Equatable {
        case rsa
        case p256
        case ed25519

        /// The algorithms for this kind, the usual one first.
        package var algorithms: [SignatureAlgorithm] {
            switch self {
            case .rsa: [.rs256, .ps256]
            case .p256: [.es256]
            case .ed25519: [.edDSA]
            }
        }
    }

    /// The shortest RSA key that RFC 7518 section 3.3 allows.
    package static let fewestRSABits = 2048

    package let kind: Kind
    let key: OpaquePointer
    /// A context to sign by the kind's usual algorithm; copying it takes about a twentieth of the instructions that
    /// preparing another one takes.
    private let prepared: OpaquePointer

    /// Reads the first private key of a PEM text: PKCS #8, PKCS #1 or SEC 1, unencrypted.
    ///
    /// - Throws: `PrivateKeyProblem`; it never asks for a password.
    package init(pem: [UInt8]) throws(PrivateKeyProblem) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        // SAFETY: OpenSSL reads the array's bytes while it is lent, and the BIO is freed before that ends.
        let read = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { unsafe BIO_free(input) }
            return unsafe attache_pem_private_key(input)
        }
        guard let read = unsafe read else { throw Self.isEncrypted(pem) ? .encrypted : .notPEM }
        do throws(PrivateKeyProblem) {
            let kind = try unsafe Self.kind(of: read)
            unsafe prepared = try Self.prepared(kind, read)
            self.kind = kind
        } catch {
            unsafe EVP_PKEY_free(read)
            throw error
        }
        unsafe key = read
    }

    deinit {
        unsafe EVP_MD_CTX_free(prepared)
        unsafe EVP_PKEY_free(key)
    }

    /// Signs a message.
    ///
    /// - Returns: The signature in the form of JWS; for ES256 the two numbers themselves, 64 bytes (RFC 7518 section
    ///   3.4).
    /// - Throws: `PrivateKeyProblem`: `unsuited` if the algorithm requires another kind of key, `unusable` if OpenSSL cannot
    ///   sign with this one.
    package borrowing func signature(
        of message: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(PrivateKeyProblem) -> [UInt8] {
        guard kind.algorithms.contains(algorithm) else { throw .unsuited(algorithm) }
        let context = unsafe algorithm == kind.algorithms[0] ? prepared : nil
        guard let signature = unsafe Self.signature(of: message, algorithm, kind, key, like: context) else {
            ERR_clear_error()
            throw .unusable
        }
        return algorithm == .es256 ? Self.joined(signature) : signature
    }

    // SAFETY: the caller owns key and context. The arrays are lent for the call; `count` says how much room there is, then
    // how much was taken.
    /// Signs with a copy of `prepared`, or with a new context; nil if OpenSSL cannot sign.
    private static func signature(
        of message: [UInt8], _ algorithm: SignatureAlgorithm, _ kind: Kind, _ key: OpaquePointer,
        like prepared: OpaquePointer?
    ) -> [UInt8]? {
        let context = unsafe newContext()
        defer { unsafe EVP_MD_CTX_free(context) }
        if unsafe prepared == nil || EVP_MD_CTX_copy_ex(context, prepared) != 1 {
            // A provider may be unable to copy a context, and may have copied a part of it.
            ERR_clear_error()
            guard unsafe EVP_MD_CTX_reset(context) == 1 && prepare(context, algorithm, kind, key) else { return nil }
        }
        var count = Int(unsafe EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        return signature
    }

    // SAFETY: the context is of this call, and the arrays are lent for the calls.
    /// Signs once and verifies the signature, because OpenSSL reads damaged keys without an error.
    ///
    /// - Throws: `PrivateKeyProblem.unusable`.
    package borrowing func test() throws(PrivateKeyProblem) {
        defer { ERR_clear_error() }
        let message: [UInt8] = [0]
        let context = unsafe Self.newContext()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard let signature = unsafe Self.signature(of: message, kind.algorithms[0], kind, key, like: prepared),
            unsafe EVP_DigestVerifyInit(context, nil, Self.digest(of: kind), nil, key) == 1,
            unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        else { throw .unusable }
    }

    // SAFETY: the caller owns the key; the context becomes the caller's unless it is freed here.
    /// A new context to sign by the kind's usual algorithm.
    private static func prepared(_ kind: Kind, _ key: OpaquePointer) throws(PrivateKeyProblem) -> OpaquePointer {
        let context = unsafe newContext()
        guard unsafe prepare(context, kind.algorithms[0], kind, key) else {
            unsafe EVP_MD_CTX_free(context)
            throw .unusable
        }
        return unsafe context
    }

    private static func newContext() -> OpaquePointer {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
        return unsafe context
    }

    /// Nil for Ed25519, which takes the message itself.
    private static func digest(of kind: Kind) -> OpaquePointer? { unsafe kind == .ed25519 ? nil : EVP_sha256() }

    // SAFETY: the caller owns context and key, and `options` belongs to the context.
    /// Prepares a new context to sign with a key of this kind; false if OpenSSL cannot.
    private static func prepare(
        _ context: OpaquePointer, _ algorithm: SignatureAlgorithm, _ kind: Kind, _ key: OpaquePointer
    ) -> Bool {
        var options: OpaquePointer?
        guard unsafe EVP_DigestSignInit(context, &options, digest(of: kind), nil, key) == 1 else { return false }
        guard algorithm == .ps256 else { return true }
        // Minus one means a salt as long as the digest.
        return unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, -1) == 1
    }

    /// Whether a certificate holds the public half of this key.
    package borrowing func belongs(to chain: CertificateChain) -> Bool {
        defer { ERR_clear_error() }
        // SAFETY: the bytes are lent for the call, and the certificate is freed before the function ends.
        return unsafe chain.leaf.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let certificate = unsafe d2i_X509(nil, &start, bytes.count) else { return false }
            defer { unsafe X509_free(certificate) }
            return unsafe X509_check_private_key(certificate, key) == 1
        }
    }

    // SAFETY: the caller owns the key.
    private static func kind(of key: OpaquePointer) throws(PrivateKeyProblem) -> Kind {
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            let bits = Int(unsafe EVP_PKEY_get_bits(key))
            guard bits >= fewestRSABits else { throw .tooShort(bits: bits) }
            return .rsa
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
            let letters = name.prefix(length).map { UInt8(bitPattern: $0) }
            guard isNamed, letters.elementsEqual("prime256v1".utf8) else { throw .unsupported }
            return .p256
        default: throw .unsupported
        }
    }

    /// The two numbers of an ECDSA signature in sequence, 32 bytes each.
    private static func joined(_ der: [UInt8]) -> [UInt8] {
        var raw = [UInt8](repeating: 0, count: 64)
        // SAFETY: OpenSSL reads the lent bytes; both numbers belong to the parsed signature, which is freed behind them,
        // and each is written to its half of `raw`, padded to 32 bytes.
        let isJoined = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let parsed = unsafe d2i_ECDSA_SIG(nil, &start, bytes.count) else { return false }
            defer { unsafe ECDSA_SIG_free(parsed) }
            return unsafe raw.withUnsafeMutableBufferPointer { raw in
                guard let half = raw.baseAddress else { return false }
                return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(parsed), half, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), half + 32, 32) == 32
            }
        }
        precondition(isJoined, "OpenSSL's own signature cannot be read")
        return raw
    }

    /// Recognises RFC 7468 section 11, and the older form with a header of its own.
    private static func isEncrypted(_ pem: [UInt8]) -> Bool {
        let text = String(decoding: pem, as: UTF8.self)
        return text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
    }
}

/// Keys on the curve P-256: generating them, and their public half.
extension PrivateKey {
    /// The two coordinates of a public key, 32 bytes each (RFC 7518 section 6.2.1).
    package struct PublicPoint: Sendable, Equatable {
        package let x: [UInt8]
        package let y: [UInt8]
    }

    // SAFETY: key and BIO are of this call and freed at its end; the array is lent, and no more is read than it has bytes.
    /// A new key as PEM.
    package static func makeP256() -> String {
        guard let key = unsafe attache_p256_key(), let output = unsafe BIO_new(BIO_s_mem()) else {
            preconditionFailure("OpenSSL cannot make a key")
        }
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe BIO_free(output)
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let isWritten = unsafe PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil) == 1
        let count = unsafe BIO_read(output, &text, Int32(text.count))
        precondition(isWritten && count > 0, "OpenSSL cannot write a key")
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }

    // SAFETY: the key is lent to calls only, by its owner.
    /// The public key of a key on P-256; nil for any other key.
    package var publicPoint: PublicPoint? {
        guard kind == .p256 else { return nil }
        return unsafe PublicPoint(x: Self.coordinate("qx", of: key), y: Self.coordinate("qy", of: key))
    }

    // SAFETY: the caller owns the key; the number is of this call and written to the array's 32 bytes, padded.
    private static func coordinate(_ name: String, of key: OpaquePointer) -> [UInt8] {
        var number: OpaquePointer?
        var bytes = [UInt8](repeating: 0, count: 32)
        let isRead = unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1
        defer { unsafe BN_free(number) }
        precondition(unsafe isRead && BN_bn2binpad(number, &bytes, 32) == 32, "OpenSSL cannot return a public key")
        return bytes
    }
}

/// Why a text is not a key to sign with, or does not fit the algorithm.
package enum PrivateKeyProblem: Error, Equatable, Sendable {
    /// The text has no private key.
    case notPEM
    /// OpenSSL cannot sign with the key, or the signature does not match the key's public half.
    case unusable
    /// The key needs a password, and Attaché never asks for one.
    case encrypted
    /// A key of another kind than RSA, EC P-256 and Ed25519.
    case unsupported
    /// An RSA key of fewer bits than RFC 7518 section 3.3 requires.
    case tooShort(bits: Int)
    /// The algorithm requires another kind of key.
    case unsuited(SignatureAlgorithm)
}

/// The algorithm of a JSON Web Signature (RFC 7518 section 3.1, RFC 8037 section 3.1), named as in its header.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA PKCS #1 v1.5 with SHA-256.
    case rs256 = "RS256"
    /// RSA PSS with SHA-256 and a salt of 32 bytes.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
