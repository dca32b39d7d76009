/// A refusal of GitHub's API that says nothing about the client, because it limits the number of requests.
///
/// GitHub answers such a request with 403 or 429, as it does one that the app may not make. Its fields tell the two apart.
struct GitHubRateLimit {
    /// How long to wait before the next request; nil if the response does not say.
    let pause: Duration?

    /// Reads a response; nil if it says something else.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - unixTime: The time, in seconds since 1970.
    init?(_ response: TokenResponse, unixTime: Double) {
        let isSpent = response.rateLimitRemaining.map(FieldText.trimmed) == "0"
        guard response.status == 403 || response.status == 429, isSpent || response.retryAfter != nil else {
            return nil
        }
        let reset = isSpent ? response.rateLimitReset.flatMap { Double(FieldText.trimmed($0)) } : nil
        pause = reset.flatMap { $0.isFinite ? .seconds(min(max($0 - unixTime, 0), 86_400)) : nil }
    }
}
