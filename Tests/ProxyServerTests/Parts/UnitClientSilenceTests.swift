import EventTransport
import Testing

@testable import ProxyServer

@Suite struct UnitClientSilenceTests {
    private static func at(_ second: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: second * 1_000_000_000)
    }

    private static func silences(_ sights: [(at: Int64, open: Int, accepted: UInt64)]) -> [Int64] {
        var measure = ClientSilence.Measure(beganAt: at(10))
        return sights.map {
            measure.silence(.init(openCount: $0.open, acceptedCount: $0.accepted), at: at($0.at)) / 1_000_000_000
        }
    }

    @Test("The silence grows while no client is connected, and begins anew with each that is")
    func open() {
        #expect(Self.silences([(10, 0, 7), (12, 0, 7), (13, 1, 8), (14, 0, 8), (16, 0, 8)]) == [0, 2, 0, 1, 3])
    }

    @Test("A client that came and went between two looks ends the silence too")
    func between() {
        #expect(Self.silences([(10, 0, 7), (12, 0, 8), (13, 0, 8)]) == [0, 0, 1])
    }
}
