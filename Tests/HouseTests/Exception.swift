/// A place where a banned word may stand, and why there.
struct Exception: Sendable {
    let word: BannedWord
    /// A file such as `Sources/attache/Attache.swift`, or a folder that ends in a slash.
    let place: String
    let reason: String

    func covers(_ word: BannedWord, in file: SourceFile) -> Bool {
        word == self.word && (place.hasSuffix("/") ? file.path.hasPrefix(place) : file.path == place)
    }

    static let all: [Exception] = [
        Exception(.unsafeCode, "Sources/EventTransport/", "wraps libevent and OpenSSL's TLS in safe types"),
        Exception(.unsafeCode, "Sources/Signing/", "wraps OpenSSL's keys, signatures and digests in safe types"),
        Exception(.unsafeCode, "Sources/HTTPWire/BulkCopy.swift", "the bulk copies that Span has no safe form for"),
        Exception(.printing, "Sources/attache/", "the command line speaks to a person"),
        Exception(.exit, "Sources/attache/", "exit codes are the command line's interface"),
    ]

    private init(_ word: BannedWord, _ place: String, _ reason: String) {
        self.word = word
        self.place = place
        self.reason = reason
    }
}
