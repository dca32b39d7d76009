import ProxyCore
import Testing

@Suite struct ExchangeStateMachineTests {
    @Test("Every event in every state does what the table says", arguments: ExchangeTable.all)
    func transition(_ line: ExchangeTransition) {
        var machine = line.from.machine
        let action = line.event.happen(to: &machine)
        let state = ExchangeState(machine)
        #expect(action == line.action)
        #expect(state == line.to)
    }

    @Test("The table names no event twice in one state")
    func unique() {
        for state in ExchangeState.all {
            for event in ExchangeEvent.all {
                #expect(ExchangeTable.all.count { $0.from == state && $0.event == event } <= 1)
            }
        }
        #expect(ExchangeTable.all.count == 576)
    }

    @Test("An app's disconnect and a timeout are possible in every state but one")
    func alwaysPossible() {
        for state in ExchangeState.all {
            #expect(ExchangeTable.find(state, .downstreamClosed) != nil)
            let isTimed = ExchangeTable.find(state, .deadlinePassed(upstreamBlocked: false)) != nil
            #expect(isTimed == (state != .awaitingHead))
        }
    }

    @Test("An exchange that is over stays so, and needs no further action")
    func over() {
        for line in ExchangeTable.all where line.from.isOver {
            #expect(line.to == line.from)
            #expect(!line.action.isAnswer && !line.action.isAbort, "\(line)")
        }
    }
}
