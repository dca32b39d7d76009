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
