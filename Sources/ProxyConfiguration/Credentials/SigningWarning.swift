import ProxyCore
import TokenManager

/// Warns of an assertion signed here that a server may refuse.
///
/// None of these is an error, because some servers accept it.
enum SigningWarning {
    /// HS256 requires a key as long as the digest (RFC 7518 section 3.2).
    private static let shortestSecret = 32

    static func look(atSecret secret: Secret, _ place: Place, _ context: LoadContext) {
        guard case .file(let path) = secret else {
            // Only a reload changes it.
            let isShort = SecretSetting.text(of: secret, place, context).map { isWeak($0.utf8) } ?? false
            return context.check(.weakSecret, place) { _ in isShort ? weakness : nil }
        }
        context.check(.weakSecret, place) { files throws(FileError) in
            isWeak(try files.read(path, limit: SecretSetting.byteLimit)) ? weakness : nil
        }
    }

    private static func isWeak(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        let lineBreak = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        return bytes.reversed().drop { lineBreak.contains($0) }.count < shortestSecret
    }

    private static let weakness =
        "is shorter than the \(shortestSecret) bytes that HS256 requires (RFC 7518), so it can be guessed from a "
        + "signature; use a longer one"

    static func subjectIsMissing(_ place: Place, _ context: LoadContext) {
        context.warnings.add(
            .assertionWithoutSubject, place,
            "has no subject, which servers must require (RFC 7523); write the token's subject, or the clientId of a "
                + "client")
    }
}

/// Warns of a certificate that is not valid now, or expires within 14 days.
///
/// This is not an error, because a certificate is replaced without a restart, and the clock may be wrong.
enum CertificateWarning {
    private static let daysAhead: Int64 = 14

    static func look(at pem: String, _ place: Place, _ context: LoadContext) {
        guard let (notBefore, notAfter) = SigningKey.validity(certificate: pem) else { return }
        let now = context.unixTime
        if now < notBefore {
            context.warnings.add(
                .certificateNotYetValid, place,
                "the certificate is not valid before \(WallClock.text(notBefore)); replace it, or correct this machine's clock"
            )
        } else if now > notAfter {
            context.warnings.add(
                .certificateExpired, place, "the certificate has expired, on \(WallClock.text(notAfter)); replace it")
        } else if notAfter - now < daysAhead * 86_400 {
            context.warnings.add(
                .certificateExpiresSoon, place,
                "the certificate expires soon, on \(WallClock.text(notAfter)); replace it before then")
        }
    }
}
