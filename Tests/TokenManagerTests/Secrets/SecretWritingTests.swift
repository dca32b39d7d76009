import Testing

@testable import TokenManager

/// A copyable picture of a `SecretWriting`.
enum WritingState: Equatable, Sendable {
    case done
    case underWay(TokenError? = nil)
    case outdated(TokenError? = nil)
    case failed(TokenError, ContinuousClock.Instant)
    case lost(TokenError)
    case lostUnderWay(TokenError)

    var writing: SecretWriting {
        switch self {
        case .done: .done
        case .underWay(let error): .underWay(after: error)
        case .outdated(let error): .outdated(after: error)
        case .failed(let error, let retryAt): .failed(error, retryAt: retryAt)
        case .lost(let error): .lost(error)
        case .lostUnderWay(let error): .lostUnderWay(error)
        }
    }

    init(_ writing: borrowing SecretWriting) {
        switch writing {
        case .done: self = .done
        case .underWay(let error): self = .underWay(error)
        case .outdated(let error): self = .outdated(error)
        case .failed(let error, let retryAt): self = .failed(error, retryAt)
        case .lost(let error): self = .lost(error)
        case .lostUnderWay(let error): self = .lostUnderWay(error)
        }
    }
}

@Suite struct SecretWritingTests {
    private static let full = TokenError(kind: .secretUnwritable, message: "full")
    private static let other = TokenError(kind: .secretUnwritable, message: "read-only")
    private static let failed = WritingState.failed(full, Sample.at(60))

    @Test(
        "The server replaces the refresh token, in every state",
        arguments: [
            (.done, .write, .underWay()), (.underWay(), .none, .outdated()), (.underWay(full), .none, .outdated(full)),
            (.outdated(full), .none, .outdated(full)), (failed, .write, .underWay(full)),
            (.lost(full), .write, .underWay(full)), (.lostUnderWay(full), .none, .outdated(full)),
        ] as [(WritingState, SecretWriting.BeginAction, WritingState)])
    func replaced(state: WritingState, action: SecretWriting.BeginAction, next: WritingState) {
        var writing = state.writing
        #expect(writing.replaced() == action)
        #expect(WritingState(writing) == next)
    }

    @Test(
        "The server replaces it by one that cannot be kept, in every state",
        arguments: [
            (.done, .report(full), .lost(full)), (.underWay(other), .report(full), .lostUnderWay(full)),
            (.outdated(), .report(full), .lostUnderWay(full)), (failed, .none, .lost(full)),
            (.lost(other), .report(full), .lost(full)), (.lost(full), .none, .lost(full)),
            (.lostUnderWay(full), .none, .lostUnderWay(full)),
        ] as [(WritingState, SecretWriting.LostAction, WritingState)])
    func lost(state: WritingState, action: SecretWriting.LostAction, next: WritingState) {
        var writing = state.writing
        #expect(writing.lost(Self.full) == action)
        #expect(WritingState(writing) == next)
    }

    @Test(
        "The server accepts it again, in every state",
        arguments: [
            (.done, .done), (.underWay(full), .underWay(full)), (.outdated(full), .outdated(full)), (failed, failed),
            (.lost(full), .done), (.lostUnderWay(full), .underWay(full)),
        ] as [(WritingState, WritingState)])
    func usedAgain(state: WritingState, next: WritingState) {
        var writing = state.writing
        writing.usedAgain()
        #expect(WritingState(writing) == next)
    }

    @Test(
        "Time passes, in every state",
        arguments: [
            (.done, 99, .none, .done), (.underWay(full), 99, .none, .underWay(full)),
            (.outdated(), 99, .none, .outdated()), (failed, 59.9, .none, failed), (failed, 60, .write, .underWay(full)),
            (.lost(full), 99, .none, .lost(full)), (.lostUnderWay(full), 99, .none, .lostUnderWay(full)),
        ] as [(WritingState, Double, SecretWriting.BeginAction, WritingState)])
    func time(state: WritingState, seconds: Double, action: SecretWriting.BeginAction, next: WritingState) {
        var writing = state.writing
        #expect(writing.timeReached(Sample.at(seconds)) == action)
        #expect(WritingState(writing) == next)
    }

    @Test(
        "The owner stops, in every state",
        arguments: [
            (.done, .none, .done), (.underWay(), .none, .underWay()), (.outdated(full), .none, .outdated(full)),
            (failed, .write, .underWay(full)), (.lost(full), .none, .lost(full)),
            (.lostUnderWay(full), .none, .lostUnderWay(full)),
        ] as [(WritingState, SecretWriting.BeginAction, WritingState)])
    func stopped(state: WritingState, action: SecretWriting.BeginAction, next: WritingState) {
        var writing = state.writing
        #expect(writing.triedNow() == action)
        #expect(WritingState(writing) == next)
    }

    @Test(
        "Another process changes the file while it is not being written",
        arguments: [.done, failed, .lost(full)] as [WritingState])
    func changed(state: WritingState) {
        var writing = state.writing
        writing.fileChanged()
        #expect(WritingState(writing) == .done)
    }

    @Test(
        "A write ends",
        arguments: [
            (.underWay(), nil, .none, .done), (.underWay(full), nil, .reportWritten, .done),
            (.underWay(), full, .report(full), failed), (.underWay(full), full, .none, failed),
            (.underWay(other), full, .report(full), failed), (.outdated(), nil, .writeAgain, .underWay()),
            (.outdated(other), full, .writeAgain, .underWay(other)), (.lostUnderWay(other), nil, .none, .lost(other)),
            (.lostUnderWay(other), full, .none, .lost(other)),
        ] as [(WritingState, TokenError?, SecretWriting.WritingEndedAction, WritingState)])
    func ended(
        state: WritingState, failure: TokenError?, action: SecretWriting.WritingEndedAction, next: WritingState
    ) {
        var writing = state.writing
        #expect(writing.writingEnded(failure, now: Sample.start) == action)
        #expect(WritingState(writing) == next)
    }

    @Test(
        "An error is kept until it is resolved, and the file is read only while it is not being written",
        arguments: [
            (.done, nil, false), (.underWay(full), full, true), (.outdated(full), full, true), (failed, full, false),
            (.lost(full), full, false), (.lostUnderWay(full), full, true),
        ] as [(WritingState, TokenError?, Bool)])
    func views(state: WritingState, error: TokenError?, isUnderWay: Bool) {
        let writing = state.writing
        #expect(writing.error == error)
        #expect(writing.isUnderWay == isUnderWay)
    }
}
