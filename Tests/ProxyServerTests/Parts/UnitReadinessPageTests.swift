import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitReadinessPageTests {
    private func page(_ credentials: [CredentialStatus], isDraining: Bool = false) -> EmbeddedServer.Response {
        ReadinessPage(
            readiness: Readiness(isDraining: isDraining, credentials), credentials: credentials,
            findings: FindingsPage(shown: [], moment: AdminMoment(now: .now, unixTime: 0))
        ).response
    }

    @Test(
        "The proxy is ready while every credential can be attached",
        arguments: [
            ([], 200, "ready\n"),
            ([.fresh], 200, "ready\ncredential c0: ready\n"),
            ([.refreshing, .fresh], 200, "ready\ncredential c0: ready\ncredential c1: ready\n"),
            ([.fresh, .empty], 503, "not ready\ncredential c0: ready\ncredential c1: not ready, empty\n"),
            ([.fetching], 503, "not ready\ncredential c0: not ready, fetching\n"),
            ([.failed, .fresh], 503, "not ready\ncredential c0: not ready, failed\ncredential c1: ready\n"),
        ] as [([CredentialStatus.State], Int, String)])
    func ready(_ states: [CredentialStatus.State], _ status: Int, _ body: String) {
        let credentials = states.enumerated().map { CredentialStatus(name: "c\($0)", state: $1) }
        let answer = page(credentials)
        #expect(answer.status == status)
        #expect(answer.body == body)
        #expect(answer.contentType == "text/plain; charset=utf-8")
    }

    @Test("The proxy is ready without a credential that is not required, and the page names it")
    func optional() {
        let error = TokenError(kind: .tokenServerUnreachable, message: "no answer")
        let main = CredentialStatus(name: "main", state: .fresh)
        let extra = CredentialStatus(name: "extra", state: .failed, lastError: error, isRequired: false)
        let ready = page([main, extra])
        #expect(ready.status == 200)
        #expect(
            ready.body
                == "ready\ncredential main: ready\ncredential extra: not ready (not required), failed: no answer; "
                + "code token-server-unreachable\n")
        let missing = CredentialStatus(name: "main", state: .empty)
        #expect(page([missing, extra]).status == 503)
    }

    @Test("The page says why a credential is not ready, and what failed last while one still serves")
    func reason() {
        let error = TokenError(kind: .tokenServerUnreachable, message: "the token server idp.example gave no answer")
        let failed = CredentialStatus(name: "main", state: .failed, lastError: error, failed: 3)
        #expect(
            page([failed]).body
                == "not ready\ncredential main: not ready, failed: the token server idp.example gave no answer; "
                + "code token-server-unreachable\n")
        let serving = CredentialStatus(name: "main", state: .refreshing, lastError: error, succeeded: 1, failed: 3)
        #expect(
            page([serving]).body
                == "ready\ncredential main: ready; the last request failed: the token server idp.example gave no answer; "
                + "code token-server-unreachable\n"
        )
    }

    @Test("The proxy is not ready while it drains, whatever its credentials")
    func draining() {
        let credentials = [CredentialStatus(name: "main", state: .fresh)]
        let answer = page(credentials, isDraining: true)
        #expect(answer.status == 503)
        #expect(answer.body == "not ready: draining\n")
    }
}
