import COpenSSL
import Glibc

extension TransportError {
    /// Why a handshake failed, with what to do about it.
    ///
    /// - Parameters:
    ///   - session: The session of the handshake.
    ///   - code: An `SSL_ERROR_` number.
    ///   - number: The errno, which matters for `SSL_ERROR_SYSCALL` only.
    ///   - verification: An `X509_V_` number.
    init(handshakeOf session: TLSSession, _ code: Int32, errno number: Int32, verification: Int) {
        let server = session.authority
        let error = OpenSSLError.take()
        if code == SSL_ERROR_SYSCALL, number != 0, error.reason == 0 {
            self.init(system: number, "the TLS handshake with \(server) broke")
            return
        }
        switch error.reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            self.init(certificateOf: session, verification)
        case 0, SSL_R_UNEXPECTED_EOF_WHILE_READING:
            self.init(
                .tlsHandshake,
                "\(server) closed the connection during the TLS handshake; \(Self.handshakeAdvice)")
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG:
            self.init(
                .tlsHandshake, "\(server) does not speak TLS: \(error.words); is it a plain http:// port?")
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW:
            self.init(
                .tlsHandshake,
                "\(server) has no TLS version in common with Attaché: \(error.words); it needs TLS 1.2 or later")
        default:
            self.init(
                .tlsHandshake, "the TLS handshake with \(server) failed: \(error.words); \(Self.handshakeAdvice)")
        }
    }

    private static let handshakeAdvice =
        "look at the server's log, and check whether it requires a client certificate (tls.clientCertificate)"

    /// Why an established TLS stream broke.
    init(streamOf session: TLSSession, _ code: Int32, errno number: Int32) {
        let server = session.authority
        let error = OpenSSLError.take()
        if code == SSL_ERROR_SYSCALL, number != 0, error.reason == 0 {
            self.init(system: number, "the connection with \(server) broke")
        } else if error.reason == 0 || error.reason == SSL_R_UNEXPECTED_EOF_WHILE_READING {
            self.init(.truncated, "\(server) ended the connection without close_notify: the data may be incomplete")
        } else {
            self.init(.tlsHandshake, "TLS with \(server) failed: \(error.words)")
        }
    }

    private init(certificateOf session: TLSSession, _ verification: Int) {
        // SAFETY: the text is a static string.
        let words = unsafe String(cString: X509_verify_cert_error_string(verification))
        let certificate = "certificate of \(session.authority)"
        switch Int32(verification) {
        case X509_V_ERR_HOSTNAME_MISMATCH where session.refusedNames.isEmpty,
            X509_V_ERR_IP_ADDRESS_MISMATCH where session.refusedNames.isEmpty:
            self.init(
                .tlsVerification,
                "\(certificate) has no subjectAltName for \(session.serverName), and its common name does not count; "
                    + "install one that lists \(session.serverName) in subjectAltName")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self.init(
                .tlsVerification,
                "\(certificate) is for another name: \(session.refusedNames), not \(session.serverName); "
                    + "use a name of the certificate, in a route also as tls.serverName")
        case X509_V_ERR_CERT_HAS_EXPIRED:
            self.init(
                .tlsVerification,
                "\(certificate) is not valid: \(words); renew it on the server, or correct this machine's clock")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self.init(.tlsVerification, "\(certificate) is not valid: \(words); check this machine's clock")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
            self.init(
                .tlsVerification,
                "\(certificate) is not trusted: the trusted file holds an intermediate authority without the root that "
                    + "issued it; add the root certificate to that file (tls.caFile, SSL_CERT_FILE)")
        case _ where session.trustsFile:
            self.init(
                .tlsVerification,
                "\(certificate) is not trusted: \(words); the file that tls.caFile names lacks the authority that issued it: add "
                    + "that authority to the file, or name another file")
        case _ where CertificateAuthorities.lacksBundle:
            self.init(.tlsVerification, "\(certificate) is not trusted: \(CertificateAuthorities.missing)")
        default:
            self.init(
                .tlsVerification,
                "\(certificate) is not trusted: \(words); name a PEM file of the authority that issued it in tls.caFile of the "
                    + "configuration file, or in the environment variable SSL_CERT_FILE")
        }
    }
}
