import FoundationEssentials
import HTTPWire
import Testing

@testable import ProxyServer

@Suite struct UnitTimestampClockTests {
    @Test("The time is RFC 3339 in UTC with milliseconds, and it is the current one")
    func format() throws {
        var clock = TimestampClock()
        let before = Date().timeIntervalSince1970
        let text = clock.text
        let after = Date().timeIntervalSince1970
        #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(text)")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let told = try style.parse(text).timeIntervalSince1970
        // Milliseconds are cut, not rounded; a floating second is exact to less than a microsecond.
        #expect(told >= before - 0.0011 && told <= after + 0.0001, "\(before) \(text) \(after)")
    }

    @Test("Successive times never go back, even within one second")
    func order() {
        var clock = TimestampClock()
        var last = ""
        for _ in 0..<2000 {
            let text = clock.text
            #expect(text.utf8.count == 24)
            #expect(text >= last)
            last = text
        }
    }

    @Test("A time is appended to the buffer's content")
    func appended() {
        var clock = TimestampClock()
        var out = OutputBuffer()
        out.append(text: "{")
        clock.append(to: &out)
        #expect(out.count == 25)
        #expect(out.withSpan { $0[0] == UInt8(ascii: "{") && $0[24] == UInt8(ascii: "Z") })
    }
}
