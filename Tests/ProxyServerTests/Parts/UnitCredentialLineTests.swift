import Testing
import TokenManager

@testable import ProxyServer

@Suite("A credential's line on /readyz")
struct UnitCredentialLineTests {
    private static let now = ContinuousClock.now

    private func line(
        _ state: CredentialStatus.State, next: Double? = nil, end: Double? = nil
    ) -> String {
        let status = CredentialStatus(
            name: "a", state: state, refreshAt: Self.now + .seconds(999),
            expiresAt: end.map { Self.now + .seconds($0) },
            lastError: TokenError(kind: .tokenServerUnreachable, message: "no answer"),
            nextAttempt: next.map { Self.now + .seconds($0) })
        return CredentialLine(status: status, now: Self.now).text
    }

    @Test func `After a failure it states the next attempt, and how long the old token serves`() {
        #expect(
            line(.failed, next: 3.2)
                == "credential a: not ready, failed: no answer; code token-server-unreachable; next attempt in 4 s")
        let ready = "credential a: ready; the last request failed: no answer; code token-server-unreachable"
        #expect(
            line(.fresh, next: 0.2, end: 240.9)
                == "\(ready); next attempt in 1 s; Attaché uses the old token for another 240 s")
        #expect(line(.refreshing, end: 3) == "\(ready); Attaché uses the old token for another 3 s")
        #expect(line(.fresh) == ready)
    }
}
