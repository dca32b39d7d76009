import Locking
import Logging
import Testing
import TokenManager

@testable import ProxyServer

@Suite("Log messages about a credential")
struct UnitCredentialPublisherTests {
    private func logged(_ result: Result<FetchedToken, FailedFetch>) -> String {
        let log = CapturedLog()
        CredentialPublisher(StableNumbers(routes: [], credentials: []), logger: Logger(label: "test") { _ in log })
            .fetchEnded("main", result)
        return log.text
    }

    @Test func `A failure has the next attempt, and how long the old token serves if it does`() {
        let error = TokenError(kind: .tokenServerUnreachable, message: "no answer", retryAfter: .milliseconds(4300))
        let serving = logged(.failure(FailedFetch(error, servesFor: .seconds(240))))
        #expect(serving.hasPrefix("warning token not fetched"))
        for text in ["no answer", "\"code\": token-server-unreachable", "in 5 s", "usable for 240 s"] {
            #expect(serving.contains(text), "\(serving)")
        }
        #expect(!logged(.failure(FailedFetch(error))).contains("oldToken"))
    }

    @Test func `The end of an outage is logged, and an ordinary fetch only at the level debug`() {
        let recovery = FetchedToken.Recovery(duration: .milliseconds(19_200), attempts: 4)
        let text = logged(.success(FetchedToken(refreshAt: nil, usableUntil: nil, recovery: recovery)))
        #expect(text.hasPrefix("notice token fetched again"))
        for part in ["\"after\": 19 s", "\"attempts\": 4"] { #expect(text.contains(part), "\(text)") }
        #expect(logged(.success(FetchedToken(refreshAt: nil, usableUntil: nil))).hasPrefix("debug token fetched"))
    }

    @Test func `Each end of a fetch, a file's recovery and a written refresh token are reported, until nobody listens`()
    {
        let publisher = CredentialPublisher(
            StableNumbers(routes: [], credentials: []), logger: Logger(label: "test") { _ in CapturedLog() })
        let reports = Locked<[String]>([])
        publisher.whenChanged { name, isWell in reports.withLock { $0.append("\(name) \(isWell)") } }
        let success = FetchedToken(refreshAt: nil, usableUntil: nil)
        publisher.fetchEnded("a", .success(success))
        publisher.fetchEnded("b", .failure(FailedFetch(TokenError(kind: .secretUnwritable, message: "full"))))
        publisher.fetchEnded("c", .failure(FailedFetch(TokenError(kind: .tokenServerUnreachable, message: "no"))))
        publisher.secretRecovered("d", after: .seconds(1))
        publisher.refreshTokenWritten("b")
        publisher.whenChanged(nil)
        publisher.fetchEnded("e", .success(success))
        #expect(reports.withLock { $0 } == ["a true", "b false", "c false", "d true", "b true"])
    }
}
