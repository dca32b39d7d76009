import ProxyCore
import Testing

@testable import ProxyServer

@Suite struct UnitHistogramTests {
    @Test("Each bound counts an equal value, and the next one a value just above")
    func bounds() throws {
        for (index, bound) in Histogram.bounds.enumerated() {
            let nanoseconds = Int64((try #require(Double(bound)) * 1_000_000_000).rounded())
            var histogram = Histogram()
            histogram.observe(nanoseconds)
            histogram.observe(nanoseconds + 1)
            var expected = [UInt64](repeating: 0, count: 14)
            expected[index] = 1
            expected[index + 1] = 1
            #expect(histogram.counts == expected, "\(bound)")
        }
    }

    @Test("Bounds increase, and there is one count more than bounds")
    func shape() throws {
        let bounds = try Histogram.bounds.map { try #require(Double($0)) }
        #expect(bounds == bounds.sorted())
        #expect(Set(bounds).count == bounds.count)
        #expect(Histogram().counts.count == bounds.count + 1)
    }

    @Test("Values at the ends fall into the first and the last bucket", arguments: [(0, 0), (-1, 0), (Int64.max, 13)])
    func ends(_ value: Int64, _ bucket: Int) {
        var histogram = Histogram()
        histogram.observe(value)
        #expect(histogram.counts[bucket] == 1)
        #expect(histogram.sumNanoseconds == UInt64(max(0, value)))
        histogram.observe(.max)
        histogram.observe(.max)
        #expect(histogram.counts.reduce(0, +) == 3)
    }

    @Test("The counts of several workers are added")
    func sum() {
        var (first, second) = (
            Metrics(routeCount: 2, credentialCount: 2), Metrics(routeCount: 2, credentialCount: 2)
        )
        first.count(.connectionLost, route: 0)
        second.count(.connectionLost, route: 0)
        second.count(.nonceAsked, route: 0)
        first.countRefusedToken(credential: 1)
        for _ in 0..<2 { second.countRefusedToken(credential: 1) }
        first.count(route: 0, status: 200, nanoseconds: 1_000_000, upstream: 500_000, received: 1, sent: 2)
        first.count(route: nil, status: 403, nanoseconds: 2_000_000)
        second.count(route: 0, status: 200, nanoseconds: 3_000_000, upstream: 2_000_000, received: 8, sent: 16)
        second.count(route: 1, status: 502, nanoseconds: 20_000_000_000)
        (first.acceptedConnections, second.acceptedConnections) = (3, 4)
        (first.refusedConnections, second.refusedConnections) = (1, 2)
        (first.downstreamConnections, second.downstreamConnections) = (5, 6)
        (first.upstreamConnections, second.upstreamConnections) = (7, 8)
        (first.droppedLogLines, second.droppedLogLines) = (9, 10)
        first.add(second)
        let rows = [0, 1, nil].map { first[$0] }
        #expect(rows.map { $0.statuses.map(\.status) } == [[200], [502], [403]])
        #expect(rows.map { $0.statuses.map(\.count) } == [[2], [1], [1]])
        #expect(rows[0].durations.counts == [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(rows.map(\.durations.sumNanoseconds) == [4_000_000, 20_000_000_000, 2_000_000])
        #expect(rows.map(\.upstreamDurations.sumNanoseconds) == [2_500_000, 0, 0])
        #expect(rows[0].bytesReceived == 9 && rows[0].bytesSent == 18)
        #expect(rows[0].retries[.connectionLost] == 2 && rows[0].retries[.nonceAsked] == 1)
        #expect(first.refusedTokens == [0, 3])
        #expect(first.acceptedConnections == 7)
        #expect(first.refusedConnections == 3)
        #expect(first.downstreamConnections == 11)
        #expect(first.upstreamConnections == 15)
        #expect(first.droppedLogLines == 19)
    }
}
