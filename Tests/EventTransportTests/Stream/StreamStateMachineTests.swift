import Support
import Testing

@testable import EventTransport

@Suite struct StreamStateMachineTests {
    typealias Machine = StreamStateMachine
    typealias ReadSide = StreamStateMachine.ReadSide
    typealias WriteSide = StreamStateMachine.WriteSide

    private static let pipe: Int32 = 32
    private static let reset: Int32 = 104
    private static let writeSides: [WriteSide] = [
        .free, .blocked, .failed(reset, owesDrain: false), .failed(pipe, owesDrain: true), .ending, .ended,
    ]

    /// Both sides; nil once it is closed.
    private func sides(_ machine: borrowing Machine) -> [String]? {
        switch machine {
        case .open(let writing, let reading): ["\(reading)", "\(writing)"]
        case .closed: nil
        }
    }

    private func expect(_ machine: borrowing Machine, _ reading: ReadSide, _ writing: WriteSide) {
        let sides = sides(machine)
        #expect(sides == ["\(reading)", "\(writing)"])
    }

    @Test("A connection reads from its start on, unless it was paused before", arguments: [false, true])
    func started(_ isPaused: Bool) {
        var machine = Machine.open(.free, .unstarted(isPaused: isPaused))
        #expect(machine.started() == (isPaused ? .none : .read))
        expect(machine, isPaused ? .paused : .reading(mayHoldMore: false), .free)
    }

    @Test(
        "A pause stops reading, and leaves bytes in the kernel",
        arguments: [
            (ReadSide.unstarted(isPaused: false), Machine.PauseAction.none, ReadSide.unstarted(isPaused: true)),
            (.reading(mayHoldMore: false), .stopReading, .paused), (.reading(mayHoldMore: true), .stopReading, .paused),
            (.paused, .none, .paused), (.ended, .none, .ended),
        ], [WriteSide.free, .blocked])
    func pauseRequested(_ reading: (ReadSide, Machine.PauseAction, ReadSide), _ writing: WriteSide) {
        var machine = Machine.open(writing, reading.0)
        #expect(machine.pauseRequested() == reading.1)
        expect(machine, reading.2, writing)
        #expect(machine.mayHoldMore == (reading.2 != .ended))
    }

    @Test("After a failed write reading continues, because only that reports the failure")
    func pauseAfterFailure() {
        var machine = Machine.open(.failed(Self.reset, owesDrain: false), .reading(mayHoldMore: false))
        #expect(machine.pauseRequested() == .none)
        expect(machine, .reading(mayHoldMore: false), .failed(Self.reset, owesDrain: false))
    }

    @Test(
        "Reading continues after a pause",
        arguments: [
            (ReadSide.unstarted(isPaused: true), Machine.ResumeAction.none, ReadSide.unstarted(isPaused: false)),
            (.paused, .read, .reading(mayHoldMore: true)),
            (.reading(mayHoldMore: false), .none, .reading(mayHoldMore: false)), (.ended, .none, .ended),
        ], writeSides)
    func resumeRequested(_ reading: (ReadSide, Machine.ResumeAction, ReadSide), _ writing: WriteSide) {
        var machine = Machine.open(writing, reading.0)
        #expect(machine.resumeRequested() == reading.1)
        expect(machine, reading.2, writing)
        #expect(machine.isReading == [.reading(mayHoldMore: false), .reading(mayHoldMore: true)].contains(reading.2))
    }

    @Test("After a read that fills its buffer, more bytes may be ready", arguments: [false, true])
    func bytesReceived(_ mayHoldMore: Bool) {
        var machine = Machine.open(.blocked, .reading(mayHoldMore: !mayHoldMore))
        machine.bytesReceived(mayHoldMore: mayHoldMore)
        expect(machine, .reading(mayHoldMore: mayHoldMore), .blocked)
        #expect(machine.mayHoldMore == mayHoldMore)
    }

    @Test(
        "The peer's end is reported, before or instead of the failure of the write side",
        arguments: [
            (WriteSide.free, Machine.PeerEndedAction.tell, ReadSide.ended), (.blocked, .tell, .ended),
            (.failed(pipe, owesDrain: true), .tellAndFail(pipe), .ended),
            (.failed(reset, owesDrain: false), .fail(reset), .reading(mayHoldMore: false)),
            (.failed(0, owesDrain: false), .fail(0), .reading(mayHoldMore: false)),
        ])
    func peerEnded(_ writing: WriteSide, _ action: Machine.PeerEndedAction, _ reading: ReadSide) {
        var machine = Machine.open(writing, .reading(mayHoldMore: false))
        #expect(machine.peerEnded(brokenPipe: Self.pipe) == action)
        expect(machine, reading, writing)
    }

    @Test(
        "Bytes are sent, queued after others, or dropped",
        arguments: zip(
            writeSides,
            [
                (Machine.Writing.send, false), (.queue, true), (.drop, false), (.drop, true), (.drop, false),
                (.drop, false),
            ]))
    func writing(_ writing: WriteSide, _ expected: (Machine.Writing, owesDrain: Bool)) {
        let machine = Machine.open(writing, .paused)
        #expect(machine.writing == expected.0)
        #expect(machine.owesDrain == expected.owesDrain)
        let takesNoMore = machine.takesNoMore
        #expect(
            takesNoMore
                == [.failed(Self.reset, owesDrain: false), .failed(Self.pipe, owesDrain: true)].contains(writing))
    }

    @Test(
        "The end goes behind what is queued, and reading goes on",
        arguments: [
            (WriteSide.free, Machine.EndRequestedAction.sendEnd, WriteSide.ending), (.blocked, .none, .ending),
            (.failed(reset, owesDrain: false), .none, .failed(reset, owesDrain: false)),
        ])
    func endRequested(_ from: WriteSide, _ action: Machine.EndRequestedAction, _ to: WriteSide) {
        var machine = Machine.open(from, .reading(mayHoldMore: false))
        #expect(machine.endRequested() == action)
        expect(machine, .reading(mayHoldMore: false), to)
        guard to == .ending else { return }
        machine.endSent()
        expect(machine, .reading(mayHoldMore: false), .ended)
        let isReading = machine.isReading
        #expect(isReading)
    }

    @Test(
        "A delegate that waits for the queue learns once that it is empty",
        arguments: zip(
            writeSides,
            [
                (Machine.QueueEmptiedAction.none, WriteSide.free), (.tell, .free),
                (.none, .failed(reset, owesDrain: false)), (.tell, .failed(pipe, owesDrain: false)),
                // Until it is sent, as a socket may have no room even for the end.
                (.sendEnd, .ending), (.none, .ended),
            ]))
    func queueEmptied(_ from: WriteSide, _ expected: (Machine.QueueEmptiedAction, WriteSide)) {
        var machine = Machine.open(from, .ended)
        #expect(machine.queueEmptied() == expected.0)
        expect(machine, .ended, expected.1)
        #expect(machine.queueEmptied() == (from == .ending ? .sendEnd : .none))
    }

    @Test(
        "Reading reports the failure of the write side, or the next turn does if nothing is read",
        arguments: [
            (ReadSide.ended, Machine.WritingFailedAction.fail), (.paused, .resume),
            (.unstarted(isPaused: true), .resume), (.unstarted(isPaused: false), .none),
            (.reading(mayHoldMore: true), .none),
        ])
    func writingFailed(_ reading: ReadSide, _ action: Machine.WritingFailedAction) {
        var machine = Machine.open(.free, reading)
        #expect(machine.writingFailed(Self.reset) == action)
        expect(machine, reading, .failed(Self.reset, owesDrain: false))
        machine = Machine.open(.free, reading)
        machine.blocked()
        #expect(machine.writingFailed(Self.reset) == action)
        expect(machine, reading, .failed(Self.reset, owesDrain: true))
        machine = Machine.open(.ending, reading)
        #expect(machine.writingFailed(Self.reset) == action)
        expect(machine, reading, .failed(Self.reset, owesDrain: false))
    }

    @Test(
        "A started connection releases its reference when it is closed, and reports nothing afterwards",
        arguments: [
            ReadSide.unstarted(isPaused: false), .unstarted(isPaused: true), .reading(mayHoldMore: true), .paused,
            .ended,
        ])
    func closed(_ reading: ReadSide) {
        var machine = Machine.open(.blocked, reading)
        let isUnstarted = [.unstarted(isPaused: false), .unstarted(isPaused: true)].contains(reading)
        let wasClosed = machine.isClosed
        #expect(!wasClosed)
        #expect(machine.closed() == (isUnstarted ? .none : .release))
        #expect(machine.isClosed && !machine.isReading && !machine.mayHoldMore && !machine.owesDrain)
        #expect(machine.writing == .drop)
        #expect(machine.pauseRequested() == .none)
        #expect(machine.resumeRequested() == .none)
        #expect(machine.queueEmptied() == .none)
    }

    @Test("A stream traps at every event that its state does not allow")
    func traps() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(StreamTraps.all) }
    }
}

/// The body of the exit test.
private enum StreamTraps {
    /// The sides of an open stream; nil once it is closed.
    typealias State = Sides?
    typealias Row = TrapRow<State, StreamStateMachine>

    struct Sides: Equatable {
        let reading: StreamStateMachine.ReadSide
        let writing: StreamStateMachine.WriteSide
    }

    static func all() {
        let readSides: [StreamStateMachine.ReadSide] = [
            .unstarted(isPaused: false), .unstarted(isPaused: true), .reading(mayHoldMore: false),
            .reading(mayHoldMore: true), .paused, .ended,
        ]
        let writeSides: [StreamStateMachine.WriteSide] = [
            .free, .blocked, .failed(104, owesDrain: false), .failed(32, owesDrain: true), .ending, .ended,
        ]
        let open: [State] = readSides.flatMap { reading in writeSides.map { Sides(reading: reading, writing: $0) } }
        let states = open + [nil]
        let started = states.filter { $0.map { ![readSides[0], readSides[1]].contains($0.reading) } ?? true }
        let silent = states.filter { $0.map { ![readSides[2], readSides[3]].contains($0.reading) } ?? true }
        let rows: [Row] = [
            Row("started", in: started) { _ = $0.started() },
            Row("pauseRequested", in: []) { _ = $0.pauseRequested() },
            Row("resumeRequested", in: []) { _ = $0.resumeRequested() },
            Row("bytesReceived", in: silent) { $0.bytesReceived(mayHoldMore: false) },
            Row("peerEnded", in: silent) { _ = $0.peerEnded(brokenPipe: 32) },
            Row("closed", in: [nil]) { _ = $0.closed() },
            Row("blocked", in: states.filter { $0?.writing != .free }) { $0.blocked() },
            Row("endRequested", in: states.filter { [.ending, .ended, nil].contains($0?.writing) }) {
                _ = $0.endRequested()
            },
            Row("endSent", in: states.filter { $0?.writing != .ending }) { $0.endSent() },
            Row("queueEmptied", in: []) { _ = $0.queueEmptied() },
            Row("writingFailed", in: states.filter { ![.free, .blocked, .ending].contains($0?.writing) }) {
                _ = $0.writingFailed(104)
            },
        ]
        for row in rows {
            #expect(row.differences(among: states) { $0.map { .open($0.writing, $0.reading) } ?? .closed } == [])
        }
    }
}
