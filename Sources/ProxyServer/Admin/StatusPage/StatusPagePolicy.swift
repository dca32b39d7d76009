import Signing

/// The header fields of the status page, which let a browser run the page's own script and nothing else.
///
/// Script and style are allowed by the digests of their texts (CSP Level 3 section 2.3.1), so that markup in a name could not
/// run even if it were not escaped. No other page may frame this one.
enum StatusPagePolicy {
    static let fields = [
        "Content-Security-Policy: \(policy)", "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
    ]

    private static let policy = [
        "default-src 'none'", "script-src '\(source(StatusPageScript.markup))'",
        "style-src '\(source(StatusPageStyle.markup))'", "img-src data:", "connect-src 'self'", "base-uri 'none'",
        "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static func source(_ text: HTML) -> String {
        "sha256-\(Base64.encode(SHA256(of: Array(text.markup.utf8)).bytes))"
    }
}
