import EventTransport
import ProxyCore
import TokenManager

/// The credential of an exchange, and the backend's challenge to it.
extension ExchangeRecord {
    /// The length of the longest error code or scheme that is noted, in bytes; those registered by RFCs have at most
    /// 30.
    private static let challengeLimit = 32

    /// Notes the token that the request is about to be sent with.
    mutating func note(_ slot: CredentialTable.Slot, at now: MonotonicInstant) {
        tokenAge = max(0, now.nanoseconds(since: slot.obtainedAt))
    }

    /// Notes the code of the backend's challenge; `sent` is the credential that the backend refused, nil if none was
    /// sent.
    ///
    /// A backend may repeat a token in its challenge. So a code is noted only if it consists of letters, `_` and `-`
    /// and is no part of the credential.
    mutating func note(challenge: [UInt8], to sent: AuthorizationHeader?) {
        let token = sent?.value.split(separator: " ").last.map { Array($0.utf8) } ?? []
        let repeatsToken = Self.contains(challenge, token) || Self.contains(token, challenge)
        let isWord = challenge.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        self.challenge = isWord && challenge.count <= Self.challengeLimit && !repeatsToken ? challenge : []
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty, text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
