import FoundationEssentials

@testable import TokenManager

/// Any text as a token, and any bytes as the payload of one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONWebToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    requireSaneTimes(String(decoding: bytes, as: UTF8.self))
    let payload = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
        "=", with: "")
    requireSaneTimes("eyJhbGciOiJub25lIn0.\(payload).c2ln")
    return 0
}

private func requireSaneTimes(_ text: String) {
    if let token = JSONWebToken(text) {
        require(text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "a token of other than three parts")
        if let life = token.life {
            require(life > 0 && !life.isNaN, "a life of \(life)")
            require(token.expiresAt != nil && token.issuedAt != nil, "a life without both ends")
        }
    }
    requireUsable(text)
    requireFetched(text)
}

/// The token as it is read from a file.
private func requireUsable(_ text: String) {
    let now = ContinuousClock.now
    let place = Secret.file(path: "/token")
    do throws(TokenError) {
        let reading = try LocalValue.Reading(
            text, from: place, scheme: nil, hasLife: true, now: now, unixTime: 1_700_000_000)
        require(FieldText.isFieldValue(reading.text), "a value that no field can hold")
        if let end = reading.usableUntil {
            require(end > now && end < now + .seconds(315_360_000), "a token that ends at a strange time")
        }
    } catch {
        require(!error.description.contains(text) || text.utf8.count < 12, "a token in an error")
    }
}

/// The token as a server gives it without saying how long it lives: refused only if it is too long or has expired.
private func requireFetched(_ text: String) {
    guard FieldText.isBearerToken(text), let url = try? TokenURL("https://idp.example/token") else { return }
    let response = TokenResponse(status: 200, body: Array("{\"access_token\":\"\(text)\"}".utf8))
    let now = ContinuousClock.now
    let unixTime = 1_700_000_000.0
    let draft = GrantDraft(.clientCredentials, "client_credentials", at: .url(url), TLSSettings())
    guard
        let token = try? TokenAnswer(from: url, to: TokenGrant(draft), hiding: ["secret"]).read(
            response, sent: now, received: now, unixTime: unixTime, random: 0.5
        ).token
    else {
        let hasExpired =
            JSONWebToken(text).flatMap { claims in
                claims.expiresAt.map { min(claims.life ?? .infinity, $0 - unixTime) < 1 }
            } ?? false
        return require(hasExpired || text.utf8.count > TokenAnswer.longestToken, "a good token is refused")
    }
    require(token.usableUntil > now && token.usableUntil <= now + AccessToken.longestLife, "a strange life")
}
