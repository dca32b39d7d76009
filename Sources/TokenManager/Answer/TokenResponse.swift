/// A token server's response; its body holds a token, which no description or reflection shows.
public struct TokenResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The HTTP status, 100...599.
    public let status: Int
    /// The value of `Retry-After`, if there is one.
    public let retryAfter: String?
    /// The value of `Content-Type`, if there is one.
    public let contentType: String?
    /// The value of `DPoP-Nonce`, if there is one.
    public let dpopNonce: String?
    /// The value of `X-RateLimit-Remaining`, if there is one.
    public let rateLimitRemaining: String?
    /// The value of `X-RateLimit-Reset`, if there is one.
    public let rateLimitReset: String?
    /// The whole body, at most 1 MiB.
    public let body: [UInt8]
    /// The value of `Date`, if there is one.
    package var date: String?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The value of `Retry-After`, if there is one.
    ///   - contentType: The value of `Content-Type`, if there is one.
    ///   - dpopNonce: The value of `DPoP-Nonce`, if there is one.
    ///   - rateLimitRemaining: The value of `X-RateLimit-Remaining`, if there is one.
    ///   - rateLimitReset: The value of `X-RateLimit-Reset`, if there is one.
    ///   - body: The whole body.
    public init(
        status: Int, retryAfter: String? = nil, contentType: String? = nil, dpopNonce: String? = nil,
        rateLimitRemaining: String? = nil, rateLimitReset: String? = nil, body: [UInt8] = []
    ) {
        self.rateLimitRemaining = rateLimitRemaining
        self.rateLimitReset = rateLimitReset
        self.status = status
        self.dpopNonce = dpopNonce
        self.retryAfter = retryAfter
        self.contentType = contentType
        self.body = body
    }

    /// The status and the body's size.
    public var description: String { "\(status), \(body.count) bytes" }
    /// The status and the body's size.
    public var debugDescription: String { description }
    /// The status alone.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

/// Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or one of the three forms of an HTTP-date (section 5.6.7).
package enum RetryAfter {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// How long to wait, at least zero; nil if the value is invalid.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - unixTime: The time, in seconds since 1970.
    /// - Returns: The pause, at most a day.
    package static func parse(_ value: String, unixTime: Double) -> Duration? {
        let text = FieldText.trimmed(value)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, 86_400))
        }
        guard let date = secondsSince1970(text) else { return nil }
        return .seconds(min(max(Double(date) - unixTime, 0), 86_400))
    }

    /// The date in seconds since 1970; nil if the text is no date.
    package static func secondsSince1970(_ date: String) -> Int? {
        let words = date.split { $0 == " " || $0 == "," || $0 == "-" }
        let day: Substring
        let month: Substring
        let year: Substring
        let time: Substring
        if words.count == 6, words[5] == "GMT" {
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        } else if words.count == 5 {
            (month, day, time, year) = (words[1], words[2], words[3], words[4])
        } else {
            return nil
        }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day), (1...31).contains(day),
            let month = months.firstIndex(of: month.lowercased()),
            let year = number(year), year < 10_000, clock.count == 3,
            let hour = clock[0], hour < 24, let minute = clock[1], minute < 60, let second = clock[2], second <= 60
        else { return nil }
        // Two digits are RFC 850's year; such dates are of this century.
        let days = daysSince1970(year: year < 100 ? year + 2000 : year, month: month + 1, day: day)
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Counts days in eras of 400 years, with years that begin in March.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Why a successful response holds no usable token, as a part of a sentence, and what to do about it.
struct UnusableAnswer: Equatable {
    let reason: String
    let advice: String

    /// A response that does not come from a token endpoint, but may come from another address.
    static func ofAnotherPlace(_ reason: String) -> UnusableAnswer {
        UnusableAnswer(reason: reason, advice: "check that the address is that of a token endpoint")
    }

    /// JSON that two readers may read in two ways.
    static func ambiguous(_ reason: String) -> UnusableAnswer {
        UnusableAnswer(reason: reason, advice: "the server's operator has to correct its responses")
    }

    static let unsendable = UnusableAnswer(
        reason: "access_token contains characters that RFC 6750 does not allow",
        advice: "let the server issue tokens that fit into a header field")

    static let tooLong = UnusableAnswer(
        reason: "access_token is longer than \(TokenAnswer.longestToken) bytes",
        advice: "no backend accepts such a token; let the server put less into it")

    /// A token type that is unusable without a key to bind the token to.
    static func typed(_ reason: String, isDPoP: Bool = false) -> UnusableAnswer {
        let bearer = "let the server issue bearer tokens to this client"
        return UnusableAnswer(reason: reason, advice: isDPoP ? "set dpop, or \(bearer)" : bearer)
    }

    /// RFC 8693 section 2.2.1: the issued token is not an access token.
    static let noAccessToken = UnusableAnswer(
        reason: "token_type is N_A, so the issued token is not an access token",
        advice: "let the server issue an access token; in an exchange, requestedTokenType asks for one")

    /// A partial response (RFC 9110 section 15.3.7).
    static let partial = UnusableAnswer(
        reason: "it is a partial response (206), which was not requested", advice: "ask the server's operator")

    static let ended = UnusableAnswer(
        reason: "access_token has expired by its exp",
        advice: "compare this machine's clock with the server's, or let the server issue a new token")

    static func unbound(_ reason: String) -> UnusableAnswer {
        UnusableAnswer(reason: reason, advice: "let the server bind the tokens of this client, or remove dpop")
    }

    static func life(_ reason: String) -> UnusableAnswer {
        UnusableAnswer(reason: reason, advice: "let the server state the lifetime of its token in seconds")
    }
}
