import FoundationEssentials

/// Reads a token server's answer: a token with its life, or why there is none.
///
/// What it says about an answer quotes at most one plain word of it, and never a description written by the server: that
/// may repeat the request.
package struct TokenAnswer: Sendable {
    /// A longer token would not pass any backend's limit for a head.
    package static let longestToken = 65_536

    private let host: String
    private let secret: SecretText

    /// Creates a reader for the answers to one request.
    ///
    /// - Parameters:
    ///   - url: Where the request went.
    ///   - secret: The client's secret, which no message may contain.
    package init(from url: TokenURL, secret: SecretText) {
        host = url.authority
        self.secret = secret
    }

    /// Reads one answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - received: When it came.
    ///   - unixTime: The same moment in seconds since 1970, to understand a date in `Retry-After`.
    ///   - random: 0..<1, spreads the refreshes.
    /// - Returns: The token.
    /// - Throws: The failure with its consequences.
    package func read(
        _ response: TokenResponse, received: ContinuousClock.Instant, unixTime: Double, random: Double
    ) throws(FetchFailure) -> AccessToken {
        let retryAfter = response.retryAfter.flatMap { RetryAfter.parse($0, unixTime: unixTime) }
        let fields = try? JSONDecoder().decode(TokenFields.self, from: Data(response.body))
        guard (200...299).contains(response.status), fields?.error == nil else {
            let code = fields?.error?.text
            throw refusal(status: response.status, code: code, retryAfter: retryAfter)
        }
        guard let fields else { throw bad(unreadable(response), retryAfter) }
        guard let token = fields.accessToken else { throw bad("access_token is missing", retryAfter) }
        guard let value = token.text else { throw bad("access_token is not a text", retryAfter) }
        guard !value.isEmpty else { throw bad("access_token is empty", retryAfter) }
        guard value.utf8.count <= Self.longestToken else {
            throw bad("access_token is longer than \(Self.longestToken) bytes", retryAfter)
        }
        guard FieldText.isBearerToken(value) else {
            throw bad("access_token holds characters that RFC 6750 does not allow", retryAfter)
        }
        if let type = fields.tokenType {
            guard let name = type.text else { throw bad("token_type is not a text", retryAfter) }
            guard name.lowercased() == "bearer" else {
                let word = FieldText.plainWord(name, hiding: [secret.value, value]) ?? "of another kind"
                throw bad("token_type is \(word) and only bearer is supported", retryAfter)
            }
        }
        let life = try life(of: value, expiresIn: fields.expiresIn, retryAfter)
        return AccessToken(value: value, life: life, received: received, random: random)
    }

    /// What becomes of a request that got no complete answer.
    package func unreachable(_ error: TokenTransportError) -> FetchFailure {
        let hasSecret = !secret.value.isEmpty && error.message.contains(secret.value)
        let reason = hasSecret ? "the exchange failed" : error.message
        let message = "the token server \(host) gave no answer (\(reason)): check its address and the network to it"
        return FetchFailure(error: TokenError(kind: .tokenServerUnreachable, message: message))
    }

    private func life(
        of token: String, expiresIn: LenientNumber?, _ retryAfter: Duration?
    ) throws(FetchFailure) -> Duration {
        if let expiresIn {
            guard let seconds = expiresIn.value else { throw bad("expires_in is not a number", retryAfter) }
            guard seconds >= 1 else { throw bad("expires_in is less than one second", retryAfter) }
            return Self.duration(seconds)
        }
        guard let seconds = JSONWebToken(token)?.life, seconds >= 1 else { return AccessToken.assumedLife }
        return Self.duration(seconds)
    }

    /// Seconds as a duration, cut first: a huge number does not fit.
    private static func duration(_ seconds: Double) -> Duration {
        guard seconds < 86_400 else { return AccessToken.longestLife }
        return .seconds(seconds)
    }

    private func unreadable(_ response: TokenResponse) -> String {
        let start = response.body.prefix(64).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        if start.isEmpty, response.body.count <= 64 { return "the body is empty" }
        let isHTML = response.contentType?.lowercased().contains("html") ?? false
        if isHTML || start.first == UInt8(ascii: "<") { return "the body is a page of HTML or XML and not JSON" }
        return "the body is not a JSON object"
    }

    private func bad(_ reason: String, _ retryAfter: Duration?) -> FetchFailure {
        let message =
            "the token server \(host) answered without a usable token (\(reason)): "
            + "check that the address is that of a token endpoint"
        return FetchFailure(error: TokenError(kind: .badTokenResponse, message: message), retryAfter: retryAfter)
    }

    private func refusal(status: Int, code: String?, retryAfter: Duration?) -> FetchFailure {
        let refusal = Refusal(status: status, code: code, hiding: secret.value)
        let kind = TokenError.Kind.tokenServerRefused(status: status, oauthError: refusal.word)
        let message = "the token server \(host) answered \(refusal.summary): \(refusal.advice)"
        return FetchFailure(
            error: TokenError(kind: kind, message: message), isDefinitive: refusal.isDefinitive, retryAfter: retryAfter)
    }
}
