import TokenManager

/// Warns of an assertion signed here that a server may refuse.
///
/// None of these is an error, because some servers accept it.
enum SigningWarning {
    /// HS256 requires a key as long as the digest (RFC 7518 section 3.2).
    private static let shortestSecret = 32

    static func look(atSecret secret: Secret, _ place: Place, _ context: LoadContext) {
        guard let text = SecretSetting.text(of: secret, place, context) else { return }
        let lineBreak = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        let count = text.utf8.reversed().drop { lineBreak.contains($0) }.count
        guard count < shortestSecret else { return }
        context.warnings.add(
            place,
            "is shorter than the \(shortestSecret) bytes that HS256 requires (RFC 7518), so it can be guessed from a "
                + "signature; use a longer one")
    }

    static func subjectIsMissing(_ place: Place, _ context: LoadContext) {
        context.warnings.add(
            place,
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
                place,
                "the certificate is not valid before \(WallClock.text(notBefore)); replace it, or correct this machine's clock"
            )
        } else if now > notAfter {
            context.warnings.add(place, "the certificate has expired, on \(WallClock.text(notAfter)); replace it")
        } else if notAfter - now < daysAhead * 86_400 {
            context.warnings.add(
                place, "the certificate expires soon, on \(WallClock.text(notAfter)); replace it before then")
        }
    }
}
