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
        Exception(.unsafeCode, "Sources/Locking/", "wraps the system's mutex in a safe type"),
        Exception(.unsafeCode, "Sources/EventTransport/", "wraps libevent, c-ares and OpenSSL's TLS in safe types"),
        Exception(.unsafeCode, "Sources/Signing/", "wraps OpenSSL's keys, signatures and digests in safe types"),
        Exception(
            .unsafeCode, "Sources/HTTPWire/Grammar/BulkCopy.swift", "the bulk copies that Span has no safe form for"),
        Exception(
            .unsafeCode, "Sources/TokenManager/ManagerExecutor.swift",
            "an actor can name its executor only by an unowned reference"),
        Exception(
            .uncheckedSendable, "Sources/EventTransport/Loop/EventLoop.swift",
            "its state is behind a lock or the loop's own"
        ),
        Exception(.uncheckedSendable, "Sources/Locking/Locked.swift", "it is the lock"),
        Exception(
            .uncheckedSendable, "Sources/HTTPWire/Grammar/BulkCopy.swift", "a buffer is the only owner of its memory"),
        Exception(
            .uncheckedSendable, "Sources/Signing/PrivateKey.swift", "OpenSSL lets several threads sign with one key"),
        Exception(
            .uncheckedSendable, "Sources/EventTransport/Loop/LoopBound.swift", "it checks the loop at each access"),
        Exception(
            .uncheckedSendable, "Sources/EventTransport/Loop/LoopWork.swift",
            "a reference that is only released, by one thread"
        ),
        Exception(
            .uncheckedSendable, "Sources/EventTransport/Loop/LoopSleep.swift",
            "its state is behind a lock or the loop's own"
        ),
        Exception(
            .unstructuredTask, "Sources/TokenManager/TokenManager+Tasks.swift", "inherits the actor and its executor"),
        Exception(.wallClock, "Sources/TokenManager/TokenClock.swift", "reads dates that others wrote"),
        Exception(.wallClock, "Sources/TokenManager/Answer/TokenAnswer.swift", "reads the end that a server wrote"),
        Exception(.wallClock, "Sources/ProxyServer/Observation/TimestampClock.swift", "the access log says when"),
        Exception(.wallClock, "Sources/ProxyConfiguration/Values/WallClock.swift", "certificates end by the calendar"),
        Exception(.exit, "Sources/attache/Attache.swift", "the one place where the process ends by an exit code"),
        Exception(.printing, "Sources/ProxyServer/Demo/", "the demo speaks to a person"),
    ]

    private init(_ word: BannedWord, _ place: String, _ reason: String) {
        self.word = word
        self.place = place
        self.reason = reason
    }
}
