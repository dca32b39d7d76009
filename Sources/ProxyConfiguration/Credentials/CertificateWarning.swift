import TokenManager

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
