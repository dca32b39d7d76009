import FoundationEssentials

/// Reads a token server's response: a token with its life, or the reason why there is none.
///
/// Its errors quote the response's `error` and a short `error_description`, which may contain no part of a secret.
package struct TokenAnswer: Sendable {
    /// A longer token would exceed every backend's limit for a head.
    package static let longestToken = 65_536

    /// The content of a successful response.
    package struct Grant: Sendable, Equatable {
        package let token: AccessToken
        /// The refresh token to use from now on, if the server issued one.
        package let refreshToken: GivenRefreshToken?
    }

    private let host: String
    private let kind: GrantKind
    private let clientAdvice: String
    private let hidden: [String]
    private let proofKey: ProofKey?

    /// Creates a reader for the responses to one request.
    ///
    /// - Parameters:
    ///   - url: The address of the request.
    ///   - grant: The grant of the request.
    ///   - hidden: The secrets and texts derived from them, which no message may contain.
    package init(from url: TokenURL, to grant: TokenGrant, hiding hidden: [String]) {
        self.init(from: url, to: grant, hiding: hidden, boundTo: nil)
    }

    /// A reader for the responses to one request for a token that the server binds to a key.
    init(from url: TokenURL, to grant: TokenGrant, hiding hidden: [String], boundTo proofKey: ProofKey?) {
        host = url.authority
        kind = grant.kind
        clientAdvice = grant.clientAdvice
        self.hidden = hidden.filter { !$0.isEmpty }
        self.proofKey = proofKey
    }

    /// Whether a response refuses a proof because it lacks the nonce that the response brings (RFC 9449 section 8).
    static func asksForNonce(_ response: TokenResponse) -> Bool {
        guard response.status == 400 || response.status == 401, JSONMembers.problem(in: response.body) == nil else {
            return false
        }
        let fields = try? JSONDecoder().decode(TokenFields.self, from: Data(response.body))
        return fields?.error?.text == "use_dpop_nonce"
    }

    /// Reads one response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - sent: When the request was sent.
    ///   - received: When the response arrived.
    ///   - unixTime: The same moment in seconds since 1970, for a date in `Retry-After`.
    ///   - random: A number in 0..<1 that spreads the refreshes.
    /// - Returns: The access token, and a refresh token if the server issued one.
    /// - Throws: The failure with its consequences.
    package func read(
        _ response: TokenResponse, sent: ContinuousClock.Instant, received: ContinuousClock.Instant, unixTime: Double,
        random: Double
    ) throws(FetchFailure) -> Grant {
        let limit = kind == .installation ? GitHubRateLimit(response, unixTime: unixTime) : nil
        let retryAfter = response.retryAfter.flatMap { RetryAfter.parse($0, unixTime: unixTime) } ?? limit?.pause
        let problem = JSONMembers.problem(in: response.body)
        let fields = problem != nil ? nil : try? JSONDecoder().decode(TokenFields.self, from: Data(response.body))
        guard (200...299).contains(response.status), fields?.error == nil else {
            throw refusal(status: response.status, fields, retryAfter: retryAfter, isRateLimited: limit != nil)
        }
        let isPartial = response.status == 206
        guard let fields else { throw bad(isPartial ? .partial : unreadable(response, problem), retryAfter) }
        let refreshToken = fields.refreshToken?.text.flatMap { GivenRefreshToken($0) }
        do throws(FetchFailure) {
            // RFC 9110 section 15.3.7: a part of a response, and the missing part is unknown.
            guard !isPartial else { throw bad(.partial, retryAfter) }
            let moment = Receipt(sent: sent, received: received, unixTime: unixTime, random: random)
            let token = try token(of: fields, retryAfter, moment)
            return Grant(token: token, refreshToken: refreshToken)
        } catch {
            // The refresh token that was sent is spent, whatever is wrong with the access token (RFC 6749 section 6).
            throw error.bringing(refreshToken)
        }
    }

    /// When a request was sent and its response arrived.
    private struct Receipt {
        let sent: ContinuousClock.Instant
        let received: ContinuousClock.Instant
        /// `received` in seconds since 1970.
        let unixTime: Double
        /// A number in 0..<1 that spreads the refreshes.
        let random: Double
    }

    private func token(
        of fields: TokenFields, _ retryAfter: Duration?, _ receipt: Receipt
    ) throws(FetchFailure) -> AccessToken {
        let isOfInstallation = kind == .installation
        let name = isOfInstallation ? "token" : "access_token"
        let token = isOfInstallation ? fields.token : fields.accessToken
        guard let token else { throw bad(.ofAnotherPlace("\(name) is missing"), retryAfter) }
        guard let value = token.text else { throw bad(.ofAnotherPlace("\(name) is not a text"), retryAfter) }
        guard !value.isEmpty else { throw bad(.ofAnotherPlace("\(name) is empty"), retryAfter) }
        guard value.utf8.count <= Self.longestToken else { throw bad(.tooLong, retryAfter) }
        guard FieldText.isBearerToken(value) else { throw bad(.unsendable, retryAfter) }
        if let problem = typeProblem(fields.tokenType, of: value) { throw bad(problem, retryAfter) }
        let life =
            isOfInstallation
            ? try life(until: fields.expiresAt, unixTime: receipt.unixTime, retryAfter)
            : try life(of: value, expiresIn: fields.expiresIn, unixTime: receipt.unixTime, retryAfter)
        let granted = AccessToken(
            value: value, life: life, sent: receipt.sent, received: receipt.received, random: receipt.random,
            proofKey: proofKey)
        guard receipt.received < granted.usableUntil else { throw late(life, retryAfter) }
        return granted
    }

    /// Why a token of this type is unusable; nil if it is usable.
    private func typeProblem(_ type: TokenFields.Text?, of token: String) -> UnusableAnswer? {
        guard let type else {
            // A server that omits the type means Bearer, and an unbound token is not what was requested.
            return proofKey == nil
                ? nil : .unbound("token_type is missing, and dpop requires a token that is bound to its key")
        }
        guard let name = type.text else {
            let reason = "token_type is not a text"
            return proofKey == nil ? .typed(reason) : .unbound(reason)
        }
        let word = FieldText.plainWord(name, hiding: hidden + [token]) ?? "of another kind"
        guard proofKey == nil else {
            // RFC 9449 section 5: a server that does not bind the token answers with the type bearer.
            return name.lowercased() == "dpop"
                ? nil : .unbound("token_type is \(word): the server did not bind the token to the key of dpop")
        }
        switch name.lowercased() {
        case "bearer": return nil
        case "n_a": return .noAccessToken
        case let type: return .typed("token_type is \(word) and only bearer is supported", isDPoP: type == "dpop")
        }
    }

    /// The failure of a request without a complete response.
    package func unreachable(_ error: TokenTransportError) -> FetchFailure {
        let hasSecret = hidden.contains { error.message.contains($0) }
        let reason = hasSecret ? "the reason is hidden, because it contains a secret" : error.message
        let message =
            error.isLocal || error.leadsBack
            ? "the token server \(host) could not be asked (\(reason))"
            : "the token server \(host) gave no answer (\(reason))\(error.advice)"
        return FetchFailure(
            error: TokenError(kind: error.kind, message: message), isDefinitive: error.leadsBack, isLocal: error.isLocal
        )
    }

    private func life(
        of token: String, expiresIn: LenientNumber?, unixTime: Double, _ retryAfter: Duration?
    ) throws(FetchFailure) -> Duration {
        if let expiresIn {
            guard let seconds = expiresIn.value else { throw bad(.life("expires_in is not a number"), retryAfter) }
            guard seconds >= 1 else { throw bad(.life("expires_in is less than one second"), retryAfter) }
            return Self.duration(seconds)
        }
        guard let claims = JSONWebToken(token), let expiresAt = claims.expiresAt else { return AccessToken.assumedLife }
        // A server may issue a token that it made long ago, and either clock may be wrong.
        let seconds = min(claims.life ?? .infinity, expiresAt - unixTime)
        guard seconds >= 1 else { throw bad(.ended, retryAfter) }
        return Self.duration(seconds)
    }

    /// The life of an installation's token, which GitHub states as a date, and which is never longer than an hour: a
    /// clock that is behind must not lengthen it.
    private func life(
        until end: TokenFields.Text?, unixTime: Double, _ retryAfter: Duration?
    ) throws(FetchFailure) -> Duration {
        guard let end else { throw bad(.life("expires_at is missing"), retryAfter) }
        guard let text = end.text, let date = try? Date(text, strategy: .iso8601) else {
            throw bad(.life("expires_at is not a date"), retryAfter)
        }
        let seconds = min(date.timeIntervalSince1970 - unixTime, 3600)
        guard seconds >= 1 else { throw bad(.ended, retryAfter) }
        return Self.duration(seconds)
    }

    /// Seconds as a duration, limited first because a huge number does not fit.
    private static func duration(_ seconds: Double) -> Duration {
        guard seconds < 86_400 else { return AccessToken.longestLife }
        return .seconds(seconds)
    }

    private func unreadable(_ response: TokenResponse, _ problem: String?) -> UnusableAnswer {
        let start = response.body.prefix(64).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        if start.isEmpty, response.body.count <= 64 { return .ofAnotherPlace("the body is empty") }
        let isHTML = response.contentType?.lowercased().contains("html") ?? false
        if isHTML || start.first == UInt8(ascii: "<") {
            return .ofAnotherPlace("the body is a page of HTML or XML and not JSON")
        }
        return problem.map { .ambiguous($0) } ?? .ofAnotherPlace("the body is not a JSON object")
    }

    private func late(_ life: Duration, _ retryAfter: Duration?) -> FetchFailure {
        let message =
            "the token server \(host) took so long to answer that its token, with a lifetime of "
            + "\(life.components.seconds) s, may have expired: make the server answer faster, or its tokens live longer"
        return FetchFailure(error: TokenError(kind: .badTokenResponse, message: message), retryAfter: retryAfter)
    }

    private func bad(_ answer: UnusableAnswer, _ retryAfter: Duration?) -> FetchFailure {
        let message =
            "the token server \(host) answered without a usable token (\(answer.reason)): \(answer.advice)"
        return FetchFailure(error: TokenError(kind: .badTokenResponse, message: message), retryAfter: retryAfter)
    }

    private func refusal(
        status: Int, _ fields: TokenFields?, retryAfter: Duration?, isRateLimited: Bool
    ) -> FetchFailure {
        // No token is that short, and a word may contain one letter of it.
        let tokens = [fields?.accessToken?.text, fields?.token?.text, fields?.refreshToken?.text].compactMap(\.self)
            .filter { $0.utf8.count >= ErrorDescription.secretPart }
        let answer = ErrorAnswer(
            status: status, code: fields?.error?.text,
            description: fields?.errorDescription?.text ?? fields?.message?.text, kind,
            clientAdvice: clientAdvice, isBound: proofKey != nil, isRateLimited: isRateLimited, hiding: hidden + tokens)
        let kind = TokenError.Kind.tokenServerRefused(status: status, oauthError: answer.word)
        let message = "the token server \(host) answered \(answer.summary): \(answer.advice)"
        return FetchFailure(
            error: TokenError(kind: kind, message: message), isDefinitive: answer.isDefinitive, retryAfter: retryAfter)
    }
}

/// A reader knows every secret of its request, so that no message repeats one; its description shows none.
extension TokenAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The refresh token in a token server's response (RFC 6749 section 5.1); no description or reflection shows it.
package enum GivenRefreshToken: Sendable, Equatable {
    /// A token that can be sent, and written to a file of one line.
    case usable(SecretText)
    /// A token that cannot be kept, with the reason as the rest of a sentence.
    case unusable(String)

    /// Accepts characters outside ASCII too: RFC 6749 has none (appendix A.17), but a form and a file can carry them.
    ///
    /// - Returns: nil for an empty text, which means no refresh token.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        if text.utf8.count > TokenAnswer.longestToken {
            self = .unusable("has \(text.utf8.count) bytes, more than \(TokenAnswer.longestToken)")
        } else if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            self = .unusable("contains a control character")
        } else {
            self = .usable(SecretText(text))
        }
    }
}
