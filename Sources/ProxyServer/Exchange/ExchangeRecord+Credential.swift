import EventTransport
import ProxyCore

/// The credential of an exchange, and what the backend says of it.
extension ExchangeRecord {
    /// A longer code is cut: those that RFCs register have at most 30 bytes.
    private static let challengeLimit = 64

    /// Notes the token that the request is about to be sent with.
    mutating func note(_ slot: CredentialTable.Slot, at now: MonotonicInstant) {
        tokenAge = max(0, now.nanoseconds(since: slot.obtainedAt))
    }

    /// Notes the code of the backend's challenge; `sent` is the credential's line that the backend refuses.
    ///
    /// A code that repeats the credential, or a part of it, is not noted.
    mutating func note(challenge: [UInt8], to sent: [UInt8]) {
        let token = AuthorizationLine.value(of: sent).split(separator: " ").last.map { Array($0.utf8) } ?? []
        let repeatsToken = Self.contains(challenge, token) || Self.contains(token, challenge)
        self.challenge = repeatsToken ? [] : Array(challenge.prefix(Self.challengeLimit))
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty, text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
