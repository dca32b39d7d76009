import ProxyCore
import Testing

@testable import ProxyServer

@Suite struct UnitHistogramTests {
    @Test("Each bound counts a value that is equal to it, and the next one a value just above")
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

    @Test("Bounds grow, and there is one count more than bounds")
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

    @Test("What workers counted adds up")
    func sum() {
        var (first, second) = (Metrics(routeCount: 2), Metrics(routeCount: 2))
        first.count(route: 0, status: 200, nanoseconds: 1_000_000)
        first.count(route: nil, status: 403, nanoseconds: 2_000_000)
        second.count(route: 0, status: 200, nanoseconds: 3_000_000)
        second.count(route: 1, status: 502, nanoseconds: 20_000_000_000)
        (first.acceptedConnections, second.acceptedConnections) = (3, 4)
        (first.refusedConnections, second.refusedConnections) = (1, 2)
        (first.downstreamConnections, second.downstreamConnections) = (5, 6)
        (first.upstreamConnections, second.upstreamConnections) = (7, 8)
        (first.droppedLogLines, second.droppedLogLines) = (9, 10)
        first.add(second)
        #expect(first.requests == [[200: 2], [502: 1], [403: 1]])
        #expect(first.durations.counts == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(first.durations.sumNanoseconds == 20_006_000_000)
        #expect(first.acceptedConnections == 7)
        #expect(first.refusedConnections == 3)
        #expect(first.downstreamConnections == 11)
        #expect(first.upstreamConnections == 15)
        #expect(first.droppedLogLines == 19)
    }
}
