import ProxyCore
import Testing

/// A call that only a bug of our own can make ends the process instead of going on with a wrong state.
@Suite struct MachineTrapTests {
    @Test("A second head within one exchange traps")
    func secondHead() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.awaitingHead
            _ = machine.headReceived(needsCredential: true)
            _ = machine.headReceived(needsCredential: true)
        }
    }

    @Test("A connection before the credential traps")
    func connectionBeforeCredential() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.acquiringCredential(.first)
            machine.upstreamAcquired()
        }
    }

    @Test("A second final response traps")
    func secondResponse() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.forwarding(.sent, .streaming, .first)
            machine.responseHeadReceived()
        }
    }

    @Test("A response after the end traps")
    func responseAfterEnd() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.finished
            _ = machine.responseEnded()
        }
    }

    @Test("A request on a connection that is to close traps")
    func requestWhileDraining() async {
        await #expect(processExitsWith: .failure) {
            var machine = DownstreamConnectionStateMachine.draining(.sending)
            machine.requestBegan()
        }
    }
}
