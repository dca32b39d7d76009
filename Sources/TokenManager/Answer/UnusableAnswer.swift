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
