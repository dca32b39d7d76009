import ProxyCore
import Support
import Testing

@Suite struct ExchangeWalkTests {
    /// What may happen in each state, and what of it leads on.
    private static let choices = ExchangeState.all.map { state in
        let all = ExchangeEvent.all.filter { ExchangeTable.find(state, $0) != nil }
        let progress = all.filter { event in
            switch event {
            case .answeredLocally, .requestFailed, .downstreamClosed, .deadlinePassed, .credentialFailed,
                .upstreamUnavailable, .tunnelBegan:
                false
            default: true
            }
        }
        return (state: state, all: all, progress: progress)
    }

    /// What an owner has seen of one exchange, told by its events and actions alone.
    private struct Journal {
        var ends = 0
        var resends: [String] = []
        var hasConnection = false
        var isRequestWhole = false
        var hasResponseBegun = false
        var isHoldingRefusal = false
        var isSuspecting = false
        var hasBegun = false
        var credentialsAsked = 0
        var events: [ExchangeEvent] = []

        mutating func note(_ event: ExchangeEvent, _ action: ExchangeAction) {
            events.append(event)
            if action == .head(.acquireCredential) { credentialsAsked += 1 }
            if action.isAnswer {
                ends += 1
                #expect(!hasResponseBegun, "an answer after the response began: \(events)")
            }
            if action.isAbort {
                ends += 1
                #expect(hasResponseBegun, "a reset where an answer was possible: \(events)")
            }
            switch event {
            case .headReceived: hasBegun = true
            case .upstreamAcquired:
                #expect(hasBegun && !hasConnection, "a connection too many: \(events)")
                hasConnection = true
                isRequestWhole = false
            case .answeredLocally, .upstreamUnavailable: ends += 1
            case .tunnelBegan:
                ends += 1
                #expect(!hasResponseBegun && !isSuspecting, "a tunnel after a response: \(events)")
            case .requestSent: isRequestWhole = true
            case .responseHeadReceived:
                #expect(hasConnection && !isSuspecting, "a response from nowhere: \(events)")
                hasResponseBegun = true
            default: break
            }
            if event == .refusalSuspected { isSuspecting = true }
            noteHolding(event, action)
            switch event {
            case .suspicionCleared, .credentialRefused: isSuspecting = false
            default: break
            }
            if case .responseEnded(let end) = action {
                ends += 1
                #expect((end == .reuse) == (isRequestWhole && hasResponseBegun), "reuse of half a message: \(events)")
            }
            switch action {
            case .upstreamFailed(.resend): noteResend("loss")
            case .credentialReplaced(.resend): noteResend("token")
            case .nonceAsked(.resend): noteResend("nonce")
            default: break
            }
        }

        private mutating func noteResend(_ reason: String) {
            resends.append(reason)
            hasConnection = false
            #expect(!hasResponseBegun, "a repetition after the response began: \(events)")
        }

        /// While a refusal is held back its connection is not read on, and may be lost without an end of the exchange.
        private mutating func noteHolding(_ event: ExchangeEvent, _ action: ExchangeAction) {
            switch action {
            case .credentialRefused(.replace): isHoldingRefusal = true
            case .credentialReplaced(.resend):
                #expect(isHoldingRefusal, "a refusal that nobody holds: \(events)")
                isHoldingRefusal = false
            case .deadline(.passRefusal) where isSuspecting, .upstreamEnded(.passRefusal),
                .upstreamFailed(.passRefusal):
                #expect(isSuspecting, "nothing is held back: \(events)")
                isSuspecting = false
            case .credentialKept(.pass), .deadline(.passRefusal):
                #expect(isHoldingRefusal, "a refusal that nobody holds: \(events)")
                isHoldingRefusal = false
                // What was held back stands for one that has been given up.
                hasConnection = true
            case .responseReceived(let action):
                #expect(hasConnection && (action == .keep) == isHoldingRefusal, "\(events)")
            case .downstreamBlocked(.pauseUpstream), .upstreamBlocked(.awaitRoom), .downstreamDrained(.resumeUpstream),
                .upstreamDrained(.renewDeadline), .upstreamEnded(.endResponse):
                #expect(!isHoldingRefusal, "a refusal that is held back goes on: \(events)")
            case .upstreamEnded(.releaseUpstream), .upstreamFailed(.releaseUpstream):
                #expect(isHoldingRefusal && hasConnection, "a connection given up twice: \(events)")
                hasConnection = false
            default: break
            }
        }
    }

    @Test(
        "Whatever happens, an exchange ends once, is sent again once for each reason, and gets no answer after a response began"
    )
    func walks() {
        var generator = SeededGenerator(seed: 0xE5C)
        var endings: Set<String> = []
        for _ in 0..<2000 { endings.insert(walk(&generator)) }
        // Otherwise the walks would prove little.
        #expect(endings.count >= 8, "\(endings)")
    }

    private func walk(_ generator: inout SeededGenerator) -> String {
        var machine = ExchangeStateMachine.awaitingHead
        var journal = Journal()
        var ending = "none"
        for _ in 0..<40 {
            let state = ExchangeState(machine)
            // The ends are rare, so that walks get as far as the response.
            let choices = Self.choices.first { $0.state == state }
            let events = generator.chance(1, of: 6) ? choices?.all : choices?.progress
            guard let event = events?.randomElement(using: &generator) else { continue }
            let wasOver = state.isOver
            let action = event.happen(to: &machine)
            journal.note(event, action)
            if event == .downstreamClosed, !wasOver { journal.ends += 1 }
            let isOver = ExchangeState(machine).isOver
            if isOver, !wasOver { ending = "\(event) \(action)" }
            #expect(journal.ends == (isOver ? 1 : 0), "\(journal.events)")
            #expect(isOver || !wasOver, "an exchange came back: \(journal.events)")
        }
        // Once for a lost connection, or once each for a refused token and a nonce.
        #expect(journal.resends.count == Set(journal.resends).count && journal.resends.count <= 2, "\(journal.resends)")
        #expect(!journal.resends.contains("loss") || journal.resends == ["loss"])
        #expect(journal.credentialsAsked <= 1)
        return ending
    }
}
