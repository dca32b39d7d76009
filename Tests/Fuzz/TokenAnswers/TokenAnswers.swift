import FoundationEssentials

@testable import TokenManager

/// A token server's answer: the first line is its status, type and `Retry-After` with `|` between, the rest its body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokenAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    let lineEnd = bytes.firstIndex(of: 10) ?? bytes.count
    let words = String(decoding: bytes[..<lineEnd], as: UTF8.self).split(
        separator: "|", omittingEmptySubsequences: false)
    let response = TokenResponse(
        status: min(max(Int(words[0]) ?? 200, 100), 599), retryAfter: words.count > 2 ? String(words[2]) : nil,
        contentType: words.count > 1 ? String(words[1]) : nil, body: Array(bytes[lineEnd...].dropFirst()))
    guard let url = try? TokenURL("https://idp.example/token") else { fail("the token server's address") }
    let draft = GrantDraft(.clientCredentials, "client_credentials", at: .url(url), TLSSettings())
    let answer = TokenAnswer(from: url, to: TokenGrant(draft), hiding: [secret])
    let received = ContinuousClock.now
    for random in [0, 0.999] {
        do throws(FetchFailure) {
            let token = try answer.read(
                response, sent: received, received: received, unixTime: 1_700_000_000, random: random
            ).token
            requireUsable(token, received, response)
        } catch {
            requireHarmless(error, response)
        }
    }
    return 0
}

/// What the client would have sent, and what some server might repeat.
private let secret = "s3cret-cAnArY"

private func requireUsable(_ token: AccessToken, _ received: ContinuousClock.Instant, _ response: TokenResponse) {
    require((200...299).contains(response.status), "a token from an answer that was no success")
    let body = Array(token.value.utf8.reversed().drop { $0 == UInt8(ascii: "=") })
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/".utf8)
    require(!body.isEmpty && body.allSatisfy(allowed.contains), "a token that is no b64token")
    require(token.value.utf8.count <= TokenAnswer.longestToken, "a token that is too long")
    let life = token.usableUntil - received
    require(life > .zero && life <= AccessToken.longestLife, "a life of \(life)")
    require(token.refreshAt > received && token.refreshAt < token.usableUntil, "a refresh outside the life")
    require("\(token)" == "<token>", "a description that shows something")
}

private func requireHarmless(_ failure: FetchFailure, _ response: TokenResponse) {
    let text = "\(failure.error) \(failure.error.kind)"
    require(!text.contains(secret), "the client's secret in an error")
    require(
        text.unicodeScalars.allSatisfy { (0x20...0x7e).contains($0.value) }, "an error with more than visible ASCII")
    require(text.utf8.count < 400, "a long error")
    if let pause = failure.retryAfter { require(pause >= .zero && pause <= .seconds(86_400), "a pause of \(pause)") }
    // A server's error word may be shown; one that it gives as the token too is no secret of anybody.
    guard let claimed = try? JSONDecoder().decode(Claimed.self, from: Data(response.body)), let token = claimed.token,
        token.utf8.count >= 12, claimed.error?.contains(token) != true
    else { return }
    require(!text.contains(token), "a token in an error")
}

private struct Claimed: Decodable {
    let token: String?
    let error: String?

    private enum CodingKeys: String, CodingKey {
        case token = "access_token"
        case error
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try? container.decode(String.self, forKey: .token)
        error = try? container.decode(String.self, forKey: .error)
    }
}
