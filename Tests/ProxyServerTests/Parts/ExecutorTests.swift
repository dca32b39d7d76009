import Glibc
import Support
import Testing

@Suite("The proxy needs only its own threads", .serialized)
struct ExecutorTests {
    @Test("Tokens are fetched and refreshed while every thread of Swift's default executor is busy")
    func defaultExecutorBusy() throws {
        let gate = Gate("the test ends")
        defer { gate.open() }
        for _ in 0..<2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
            Task.detached { try? gate.wait() }
        }
        try withScene(Layout(limits: ["acquireTimeout: 5s"]), tokens: [.token(expiresIn: "1")]) { scene in
            let response = try scene.get()
            #expect(response.status == 200, "\(response)")
            try scene.tokens.waitForTokens(2)
        }
    }
}
