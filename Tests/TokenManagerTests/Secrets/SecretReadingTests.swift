import Testing

@testable import TokenManager

/// Every state of a `SecretReading` with what each event makes of it; a trap stands as nil.
@Suite struct SecretReadingTests {
    enum State: CaseIterable {
        case idle
        case underWay
        case outdated
        case stalled

        var reading: SecretReading {
            switch self {
            case .idle: .idle
            case .underWay: .underWay(nil)
            case .outdated: .outdated(nil)
            case .stalled: .stalled
            }
        }

        init(_ reading: borrowing SecretReading) {
            switch reading {
            case .idle: self = .idle
            case .underWay: self = .underWay
            case .outdated: self = .outdated
            case .stalled: self = .stalled
            }
        }
    }

    @Test(
        "A read begins if none is in progress",
        arguments: [(.idle, .read), (.underWay, .none), (.outdated, .none), (.stalled, .none)]
            as [(State, SecretReading.BeginAction)])
    func begin(state: State, action: SecretReading.BeginAction) {
        var reading = state.reading
        #expect(reading.begin() == action)
        #expect(State(reading) == (state == .idle ? .underWay : state))
    }

    @Test(
        "A write by this process makes the read outdated",
        arguments: [(State.idle, State.idle), (.underWay, .outdated), (.outdated, .outdated), (.stalled, .stalled)])
    func writing(state: State, next: State) {
        var reading = state.reading
        reading.writingBegan()
        #expect(State(reading) == next)
    }

    @Test(
        "It is reported once when it takes too long",
        arguments: [(.idle, .none), (.underWay, .report(nil)), (.outdated, .report(nil)), (.stalled, .none)]
            as [(State, SecretReading.TimedOutAction)])
    func timeout(state: State, action: SecretReading.TimedOutAction) {
        var reading = state.reading
        #expect(reading.timedOut() == action)
        #expect(State(reading) == (state == .idle ? .idle : .stalled))
    }

    @Test("The report names the place that is being read", arguments: [State.underWay, .outdated])
    func place(state: State) {
        var reading = state.reading
        reading.reached(.file(path: "/one"))
        reading.reached(.file(path: "/two"))
        #expect(State(reading) == state)
        #expect(reading.timedOut() == .report(.file(path: "/two")))
        reading.reached(.file(path: "/three"))
        #expect(State(reading) == .stalled)
    }

    @Test(
        "The result is used unless it is outdated or was reported",
        arguments: [(State.underWay, SecretReading.EndedAction.use), (.outdated, .none), (.stalled, .none)])
    func end(state: State, action: SecretReading.EndedAction) {
        var reading = state.reading
        #expect(reading.ended() == action)
        #expect(State(reading) == .idle)
    }

    @Test("Callers wait only for a result that will be used", arguments: State.allCases)
    func awaited(state: State) {
        #expect(state.reading.isAwaited == (state == .underWay))
    }
}
