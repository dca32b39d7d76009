import EventTransport
import Logging
import ProxyCore
import Support
import Testing

@testable import ProxyServer

@Suite("The log of failed requests")
struct UnitFailureLogTests {
    private static let refused = ProxyError(.connectionRefused, "cannot connect to 127.0.0.1:1: Connection refused")

    /// The lines for errors of routes, each at a second.
    private func lines(_ failures: [(ProxyError, route: Int?, second: Int)]) -> [Substring] {
        let captured = CapturedLog()
        let log = FailureLog(Logger(label: "test") { _ in captured })
        let start = MonotonicInstant.now
        for (error, route, second) in failures {
            log.note(
                error, route: route, named: route.map { "r\($0)" }, to: "http://127.0.0.1:1",
                at: start + .seconds(second))
        }
        return captured.text.split(separator: "\n")
    }

    @Test("has one line a minute for each route and cause, with the number of failures since the last one")
    func limited() {
        let lines = lines([
            (Self.refused, 0, 0), (Self.refused, 0, 1), (Self.refused, 0, 59), (Self.refused, 0, 60),
            (Self.refused, 0, 61),
        ])
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("warning request failed") && $0.contains("connection-refused") })
        #expect(
            lines.first?.contains("\"count\": 1") == true && lines.last?.contains("\"count\": 3") == true, "\(lines)")
    }

    @Test("has a line of its own for another route, for no route and for another cause")
    func apart() {
        let timeout = ProxyError(.connectionTimeout, "late")
        let lines = lines([(Self.refused, 0, 0), (Self.refused, 1, 0), (Self.refused, nil, 0), (timeout, 0, 0)])
        #expect(lines.count == 4)
        #expect(lines[1].contains("r1") && lines[2].contains("none") && lines[3].contains("late"))
    }

    @Test("has nothing about errors of apps, of credentials and of Attaché itself")
    func others() {
        let kinds: [ProxyError.Kind] = [.destinationDenied, .clientGone, .credentialUnavailable, .shutdown]
        #expect(lines(kinds.map { (ProxyError($0, "x"), 0, 0) }).isEmpty)
    }
}
