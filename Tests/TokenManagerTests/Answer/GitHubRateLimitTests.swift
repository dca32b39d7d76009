import Support
import Testing

@testable import TokenManager

@Suite("A rate limit of GitHub")
struct GitHubRateLimitTests {
    private static let body = Array(#"{"message":"API rate limit exceeded for installation ID 42."}"#.utf8)

    private func failure(_ response: TokenResponse, _ kind: GrantKind = .installation) throws -> FetchFailure? {
        let url = try TokenURL("https://api.github.test/app/installations/42/access_tokens")
        let grant = TokenGrant(GrantDraft(kind, "x", at: .url(url), TLSSettings()))
        let reader = TokenAnswer(from: url, to: grant, hiding: [])
        do throws(FetchFailure) {
            _ = try reader.read(response, sent: Sample.start, received: Sample.start, unixTime: 1000, random: 0)
            return nil
        } catch {
            return error
        }
    }

    @Test("does not count as a refusal of the client, and says when to ask again")
    func retried() throws {
        let spent = TokenResponse(
            status: 403, rateLimitRemaining: " 0", rateLimitReset: "1090", body: Self.body)
        #expect(try failure(spent)?.isDefinitive == false)
        #expect(try failure(spent)?.retryAfter == .seconds(90))
        #expect(try failure(spent)?.error.message.contains("the server asks for fewer requests") == true)
        let secondary = TokenResponse(status: 403, retryAfter: "7", rateLimitRemaining: "4999", body: Self.body)
        #expect(try failure(secondary)?.isDefinitive == false)
        #expect(try failure(secondary)?.retryAfter == .seconds(7))
    }

    @Test(
        "may name no end, an end in the past, or one that cannot be true",
        arguments: [
            (nil, nil), ("soon", nil), ("nan", nil), ("999", .zero), ("1e300", .seconds(86_400)),
        ] as [(String?, Duration?)])
    func ends(_ reset: String?, _ pause: Duration?) throws {
        let response = TokenResponse(status: 403, rateLimitRemaining: "0", rateLimitReset: reset, body: Self.body)
        #expect(try failure(response)?.isDefinitive == false)
        #expect(try failure(response)?.retryAfter == pause)
    }

    @Test("is no other refusal, and no refusal by another server")
    func definitive() throws {
        let refused = TokenResponse(
            status: 403, rateLimitRemaining: "4999", rateLimitReset: "1090", body: Self.body)
        #expect(try failure(refused)?.isDefinitive == true)
        #expect(try failure(TokenResponse(status: 401, rateLimitRemaining: "0"))?.isDefinitive == true)
        #expect(
            try failure(TokenResponse(status: 403, rateLimitRemaining: "0"), .clientCredentials)?.isDefinitive == true)
    }
}
