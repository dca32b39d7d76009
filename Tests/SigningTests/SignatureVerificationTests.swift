import Signing
import Support
import Testing

/// What this module signs, verified by OpenSSL's command line; keys and certificates are made by it too.
@Suite("Signatures verified by other programs") final class SignatureVerificationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    deinit { folder.remove() }

    @Test("Other programs accept a signature of every algorithm", arguments: SignatureAlgorithm.allCases)
    func verifies(algorithm: SignatureAlgorithm) throws {
        let pem = try makeKey(for: algorithm)
        let key = try PrivateKey(pem: Array(pem.utf8))
        #expect(key.kind.algorithms.contains(algorithm))
        for message in ["a message", String(repeating: "long ", count: 10_000)] {
            let signature = try key.signature(of: Array(message.utf8), algorithm)
            try folder.write(message, to: "message")
            try folder.write(algorithm == .es256 ? Self.der(signature) : signature, to: "signature")
            #expect(try verify(algorithm).contains("Verified OK"))
            try folder.write(message + "!", to: "message")
            #expect(try !verify(algorithm).contains("Verified OK"))
        }
        if algorithm == .es256 {
            // Numbers that begin with a zero byte are padded: without it one in 128 signatures is shorter.
            for _ in 0..<300 { #expect(try key.signature(of: [1], algorithm).count == 64) }
        }
    }

    @Test("A key is read from every unencrypted form of PEM", arguments: ["pkcs8", "traditional"])
    func forms(form: String) throws {
        for kind in [PrivateKey.Kind.rsa, .p256] {
            let source = try folder.write((kind == .rsa ? SampleKey.rsa : .p256).rawValue, to: "source.pem")
            let form = form == "pkcs8" ? [] : ["-traditional"]
            try openssl(["pkey", "-in", source, "-out", folder.file("key.pem")] + form)
            let pem = TemporaryDirectory.read(folder.file("key.pem"))
            let read = try PrivateKey(pem: Array("words before\n\(pem)".utf8)).kind
            #expect(read == kind)
        }
    }

    @Test("An encrypted key is refused as such, without asking for a password", arguments: [[], ["-traditional"]])
    func encrypted(form: [String]) throws {
        let source = try folder.write(SampleKey.rsa.rawValue, to: "source.pem")
        let path = folder.file("key.pem")
        try openssl(["rsa", "-in", source, "-aes128", "-passout", "pass:secret", "-out", path] + form)
        #expect(problem(TemporaryDirectory.read(path)) == .encrypted)
    }

    @Test(
        "A key of another kind or too short is refused",
        arguments: [
            (["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], .tooShort(bits: 1024)),
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], .unsupported),
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"], .unsupported),
            (["genpkey", "-algorithm", "X25519"], .unsupported), (["genpkey", "-algorithm", "ED448"], .unsupported),
        ] as [([String], PrivateKeyProblem)])
    func unsupported(command: [String], expected: PrivateKeyProblem) throws {
        try openssl(command + ["-out", folder.file("key.pem")])
        #expect(problem(TemporaryDirectory.read(folder.file("key.pem"))) == expected)
    }

    @Test(
        "A text that is not a key is refused",
        arguments: [
            "", "hello", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", String(repeating: "-----BEGIN ", count: 1000),
        ])
    func noKey(text: String) {
        #expect(problem(text) == .notPEM)
        #expect(throws: CertificateChain.Unreadable.self) { try CertificateChain(pem: Array(text.utf8)) }
    }

    @Test func `A key that can be read but whose signatures fail or are wrong is refused`() throws {
        #expect(problem(SampleKey.rsaWithEvenModulus) == .unusable)
        // The private half of one key, the first 39 bytes of SEC 1, and the public half of another one.
        let keys = try (0..<2).map { _ in try newEC() }
        #expect(problem(sec1(keys[0])) == nil)
        #expect(problem(sec1(keys[0].prefix(52) + keys[1].dropFirst(52))) == .unusable)
        #expect(throws: PrivateKeyProblem.unusable) {
            try PrivateKey(pem: Array(SampleKey.rsaWithEvenModulus.utf8)).signature(of: [], .rs256)
        }
    }

    /// A new key on P-256 in SEC 1, as Base64.
    private func newEC() throws -> [Character] {
        let path = folder.file("key.pem")
        try openssl(["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", path])
        return TemporaryDirectory.read(path).split(separator: "\n").filter { !$0.hasPrefix("-") }.flatMap(Array.init)
    }

    private func sec1(_ base64: some Collection<Character>) -> String {
        "-----BEGIN EC PRIVATE KEY-----\n\(String(base64))\n-----END EC PRIVATE KEY-----\n"
    }

    @Test func `An algorithm for another kind of key is refused`() throws {
        let key = try PrivateKey(pem: Array(SampleKey.p256.rawValue.utf8))
        var found: PrivateKeyProblem?
        do throws(PrivateKeyProblem) { _ = try key.signature(of: [], .rs256) } catch { found = error }
        #expect(found == .unsuited(.rs256))
    }

    @Test func `A chain of certificates has its bytes, its name, its thumbprint and its key`() throws {
        let key = try folder.write(SampleKey.rsa.rawValue, to: "key.pem")
        let path = folder.file("certificate.pem")
        try openssl(["req", "-x509", "-new", "-key", key, "-subj", "/O=Example/CN=clïent 1", "-utf8", "-out", path])
        let pem = TemporaryDirectory.read(path)
        let chain = try CertificateChain(pem: Array((pem + pem).utf8))
        #expect(chain.commonName == "clïent 1")
        #expect(chain.certificates.count == 2)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        #expect(Base64.encode(chain.leaf) == lines)
        let shown = try openssl(["x509", "-in", path, "-noout", "-fingerprint", "-sha256"])
        let digest = SHA256(of: chain.leaf).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        #expect(shown.contains(digest.joined(separator: ":")))
        #expect(chain.thumbprint == Base64URL.encode(SHA256(of: chain.leaf).bytes))
        let own = try PrivateKey(pem: Array(SampleKey.rsa.rawValue.utf8)).belongs(to: chain)
        let other = try PrivateKey(pem: Array(SampleKey.p256.rawValue.utf8)).belongs(to: chain)
        #expect(own && !other)
    }

    @Test func `A certificate without a common name has no name`() throws {
        let key = try folder.write(SampleKey.p256.rawValue, to: "key.pem")
        let path = folder.file("certificate.pem")
        try openssl(["req", "-x509", "-new", "-key", key, "-subj", "/O=Example", "-out", path])
        #expect(try CertificateChain(pem: Array(TemporaryDirectory.read(path).utf8)).commonName == nil)
    }

    private func problem(_ pem: String) -> PrivateKeyProblem? {
        do throws(PrivateKeyProblem) {
            try PrivateKey(pem: Array(pem.utf8)).test()
            return nil
        } catch {
            return error
        }
    }

    private func makeKey(for algorithm: SignatureAlgorithm) throws -> String {
        let options =
            switch algorithm {
            case .rs256, .ps256: ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .es256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .edDSA: ["ED25519"]
            }
        let path = folder.file("key.pem")
        try openssl(["genpkey", "-algorithm"] + options + ["-out", path])
        try openssl(["pkey", "-in", path, "-pubout", "-out", folder.file("public.pem")])
        return TemporaryDirectory.read(path)
    }

    private func verify(_ algorithm: SignatureAlgorithm) throws -> String {
        let digest = ["dgst", "-sha256", "-verify", folder.file("public.pem"), "-signature", folder.file("signature")]
        let pss = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]
        let command =
            switch algorithm {
            case .rs256, .es256: digest + [folder.file("message")]
            case .ps256: digest + pss + [folder.file("message")]
            case .edDSA:
                [
                    "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", folder.file("public.pem"), "-sigfile",
                    folder.file("signature"), "-in", folder.file("message"),
                ]
            }
        return try openssl(command, mayFail: true).replacing("Signature Verified Successfully", with: "Verified OK")
    }

    /// The output of OpenSSL's command line.
    @discardableResult
    private func openssl(_ arguments: [String], mayFail: Bool = false) throws -> String {
        let child = try ChildProcess("/usr/bin/openssl", arguments, in: folder)
        let end = try child.waitForEnd()
        #expect(mayFail || end == .exited(0), "openssl \(arguments): \(child.errors)")
        return child.output
    }

    /// What `r || s` is in DER: a sequence of two integers, neither negative nor longer than it must be.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(bytes.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [2, UInt8(digits.count)] + digits
        }
        let content = integer(raw[..<32]) + integer(raw[32...])
        return [0x30, UInt8(content.count)] + content
    }
}
