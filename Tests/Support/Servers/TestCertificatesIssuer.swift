import COpenSSL

/// A certificate authority with an EC P-256 key.
final class TestCertificateIssuer {
    private let name: String
    private let key: OpaquePointer
    private let certificate: OpaquePointer

    init(name: String) {
        self.name = name
        key = Self.makeKey()
        certificate = Self.makeCertificate(
            subject: name, issuer: name, key: key, days: 2, signedWith: key,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ])
    }

    /// An intermediate authority below another.
    init(name: String, below parent: TestCertificateIssuer) {
        self.name = name
        key = Self.makeKey()
        certificate = Self.makeCertificate(
            subject: name, issuer: parent.name, key: key, days: 2, signedWith: parent.key,
            extensions: [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign")])
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    func writeCertificate(to file: String) { Self.write(file) { PEM_write_bio_X509($0, certificate) } }

    /// Writes a certificate that expired long ago if `days` is negative, and has no subjectAltName without `names`.
    func issue(commonName: String, names: String?, days: Int, _ identity: TestCertificates.Identity) {
        let leafKey = Self.makeKey()
        let leaf = Self.makeCertificate(
            subject: commonName, issuer: name, key: leafKey, days: days, signedWith: key,
            extensions: [(NID_basic_constraints, "CA:FALSE")] + (names.map { [(NID_subject_alt_name, $0)] } ?? []))
        Self.write(identity.certificateFile) { PEM_write_bio_X509($0, leaf) }
        Self.write(identity.keyFile) { PEM_write_bio_PrivateKey($0, leafKey, nil, nil, 0, nil, nil) }
        X509_free(leaf)
        EVP_PKEY_free(leafKey)
    }

    private static func makeKey() -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { preconditionFailure("no test key") }
        return key
    }

    private static func makeCertificate(
        subject: String, issuer: String, key: OpaquePointer, days: Int, signedWith signer: OpaquePointer,
        extensions: [(Int32, String)]
    ) -> OpaquePointer {
        guard let certificate = X509_new() else { preconditionFailure("no test certificate") }
        X509_set_version(certificate, 2)
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial)
        let day = 86_400
        X509_gmtime_adj(X509_getm_notBefore(certificate), -10 * day)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days * day)
        X509_set_pubkey(certificate, key)
        setName(X509_get_subject_name(certificate), subject)
        setName(X509_get_issuer_name(certificate), issuer)
        for (number, value) in extensions {
            let made = X509V3_EXT_conf_nid(nil, nil, number, value)
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
        guard X509_sign(certificate, signer, EVP_sha256()) > 0 else { preconditionFailure("no signature") }
        return certificate
    }

    private static func setName(_ name: OpaquePointer?, _ text: String) {
        let bytes = Array(text.utf8)
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, bytes, Int32(bytes.count), -1, 0)
    }

    private static func write(_ file: String, _ body: (OpaquePointer?) -> Int32) {
        let output = BIO_new_file(file, "w")
        defer { BIO_free(output) }
        guard output != nil, body(output) == 1 else { preconditionFailure("cannot write \(file)") }
    }
}
