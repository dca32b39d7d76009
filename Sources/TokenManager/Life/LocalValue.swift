/// The life of a value that is read from a file or from the configuration and not fetched.
///
/// As with `TokenEntry`, the owner reports the time before any other event of an instant, and performs the returned
/// action.
package enum LocalValue: ~Copyable {
    /// A value as it was read, with its end if it has one; no description or reflection shows the text.
    package struct Reading: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        package let text: String
        /// The hard end, or nil if the value has none.
        package let usableUntil: ContinuousClock.Instant?
        /// When this text was first read; nil if unknown.
        package let readAt: ContinuousClock.Instant?
        /// The number by which a refusal names the value; the credential's record assigns it.
        private(set) var generation = TokenGeneration.unissued

        package init(text: String, usableUntil: ContinuousClock.Instant?, readAt: ContinuousClock.Instant? = nil) {
            self.text = text
            self.usableUntil = usableUntil
            self.readAt = readAt
        }

        /// The same reading with the generation that the credential's record assigns to it.
        func numbered(_ generation: TokenGeneration) -> Reading {
            var reading = self
            reading.generation = generation
            return reading
        }

        package var description: String { "<value>" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Nothing has been read yet.
    case empty
    /// The value of the last read is served. Left when a read fails, or at the value's end.
    case held(Reading)
    /// The last good value is served although a later read failed. Left when a read succeeds, or at the value's end.
    case stale(Reading, TokenError)
    /// There is no value to serve. Left by a successful read.
    case failed(TokenError)

    /// When `timeReached` must be called next.
    package var wakeAt: ContinuousClock.Instant? {
        switch self {
        case .empty: nil
        case .held(let reading): reading.usableUntil
        case .stale(let reading, _): reading.usableUntil
        case .failed: nil
        }
    }

    package enum ReadAction: Equatable {
        /// The value is new: notify the holders of copies.
        case publish(Reading)
        /// The value is unchanged, and readable again.
        case recover
        case none
    }

    /// The source was read.
    ///
    /// An equal text keeps the end that was computed when it was new, and its generation.
    package mutating func read(_ reading: Reading) -> ReadAction {
        switch consume self {
        case .empty:
            self = .held(reading)
            return .publish(reading)
        case .held(let old):
            let isOld = old.text == reading.text
            self = .held(isOld ? old : reading)
            return isOld ? .none : .publish(reading)
        case .stale(let old, _):
            let isOld = old.text == reading.text
            self = .held(isOld ? old : reading)
            return isOld ? .recover : .publish(reading)
        case .failed:
            self = .held(reading)
            return .publish(reading)
        }
    }

    package enum ReadFailedAction: Equatable {
        /// Report this error.
        case report(TokenError)
        /// The error is known already.
        case none
    }

    /// The source could not be read, or its content is unusable.
    package mutating func readFailed(_ error: TokenError) -> ReadFailedAction {
        switch consume self {
        case .empty:
            self = .failed(error)
            return .report(error)
        case .held(let reading):
            self = .stale(reading, error)
            return .report(error)
        case .stale(let reading, let old):
            self = .stale(reading, error)
            return old == error ? .none : .report(error)
        case .failed(let old):
            self = .failed(error)
            return old == error ? .none : .report(error)
        }
    }

    package enum TimeReachedAction: Equatable {
        /// The value expired, and the reason why there is no newer one is known: notify the holders of copies.
        case withdraw
        /// The value expired: notify the holders of copies, and report this error.
        case withdrawAndReport(TokenError)
        case none
    }

    /// Time has passed; `ended` is the error from the value's end on, unless a read has failed since.
    package mutating func timeReached(_ now: ContinuousClock.Instant, ended: TokenError) -> TimeReachedAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .held(let reading):
            guard let end = reading.usableUntil, now >= end else {
                self = .held(reading)
                return .none
            }
            self = .failed(ended)
            return .withdrawAndReport(ended)
        case .stale(let reading, let error):
            guard let end = reading.usableUntil, now >= end else {
                self = .stale(reading, error)
                return .none
            }
            self = .failed(error)
            return .withdraw
        case .failed(let error):
            self = .failed(error)
            return .none
        }
    }

    package enum AcquireAction: Equatable {
        /// Answer with this value.
        case serve(Reading)
        /// Answer with this error.
        case fail(TokenError)
        /// The source must be read first.
        case none
    }

    /// A caller asks for the value.
    package mutating func acquire() -> AcquireAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .held(let reading):
            self = .held(reading)
            return .serve(reading)
        case .stale(let reading, let error):
            self = .stale(reading, error)
            return .serve(reading)
        case .failed(let error):
            self = .failed(error)
            return .fail(error)
        }
    }
}

extension LocalValue {
    /// The value that is served at an instant, for a status page; changes nothing.
    package func reading(at now: ContinuousClock.Instant) -> Reading? {
        switch self {
        case .empty: nil
        case .held(let reading): Self.usable(reading, now)
        case .stale(let reading, _): Self.usable(reading, now)
        case .failed: nil
        }
    }

    private static func usable(_ reading: Reading, _ now: ContinuousClock.Instant) -> Reading? {
        guard let end = reading.usableUntil, now >= end else { return reading }
        return nil
    }
}

extension LocalValue.Reading {
    /// Makes a value that can be sent from the text of a read.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: Where it was read, for the message.
    ///   - scheme: The word before it in the field; nil for none.
    ///   - hasLife: Whether a JWT expires at its `exp`.
    ///   - now: When it was read.
    ///   - unixTime: The same moment in seconds since 1970.
    /// - Throws: `TokenError` if the text cannot be sent in a field or has expired; it quotes no part of the value.
    package init(
        _ text: String, from place: Secret, scheme: String?, hasLife: Bool, now: ContinuousClock.Instant,
        unixTime: Double
    ) throws(TokenError) {
        let value = FieldText.trimmed(text)
        if let problem = Self.problem(value, scheme: scheme) {
            throw TokenError(kind: .unusableValue, message: "\(place.place) \(problem)")
        }
        // If the file holds the whole field value, the token is its last word.
        let token = value.split(separator: " ").last.map(String.init) ?? value
        guard hasLife, let claims = JSONWebToken(token), let expiresAt = claims.expiresAt else {
            self.init(text: value, usableUntil: nil, readAt: now)
            return
        }
        let left = expiresAt - unixTime
        // More than ten years: an end that no one will see, and a number that may not fit into a Duration.
        guard left < 315_360_000 else {
            self.init(text: value, usableUntil: nil, readAt: now)
            return
        }
        // Checked before the conversion, because a Duration cannot hold an end too far in the past either.
        guard left > 0 else { throw Self.ended(place) }
        let margin = AccessToken.margin(of: .seconds(min(claims.life ?? left, 315_360_000)))
        guard .seconds(left) > margin else { throw Self.ended(place) }
        self.init(text: value, usableUntil: now + .seconds(left) - margin, readAt: now)
    }

    /// Why a text cannot be sent.
    ///
    /// - Parameters:
    ///   - text: The value, with or without spaces around it.
    ///   - scheme: The word before it in the field; nil for none.
    /// - Returns: The rest of a sentence, which quotes no part of the text; nil if it can be sent.
    package static func problem(_ text: String, scheme: String?) -> String? {
        let value = FieldText.trimmed(text)
        guard FieldText.isFieldValue(value) else {
            let reason = value.isEmpty ? "is empty" : "contains a line break or another control character"
            return "\(reason): write the value alone, on one line"
        }
        // RFC 7617 section 2 has the same characters: Base64.
        guard !FieldText.isBearerToken(value) else { return nil }
        switch scheme?.lowercased() {
        case "bearer":
            return "contains characters that a bearer token cannot have (RFC 6750): write the token alone, or "
                + "set scheme to none if it is a whole field value"
        case "basic":
            return "contains characters that HTTP Basic cannot have (RFC 7617): write the Base64 of user:password, or "
                + "set scheme to none if it is a whole field value"
        default: return nil
        }
    }

    /// The error for a value that has expired.
    package static func ended(_ place: Secret) -> TokenError {
        let message = "\(place.place) holds a token that has expired: replace it"
        return TokenError(kind: .tokenExpired, message: message)
    }
}
