import Testing

@testable import ProxyConfiguration

@Suite("Durations")
struct DurationTextTests {
    @Test(
        "A number and a unit make a duration",
        arguments: [
            ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("5m", .seconds(300)), ("1h", .seconds(3600)),
            ("0s", .zero), ("007s", .seconds(7)), ("1500ms", .milliseconds(1500)),
        ])
    func read(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "10", "s", "", "10 s", "1.5s", "-1s", "+1s", "10S", "10sec", "1m30s", "١s", "9223372036854775807h",
            "99999999999999999999ms", "1d",
        ])
    func refused(text: String) {
        #expect(throws: ValueError.self) { try DurationText.parse(text) }
    }

    @Test(
        "A duration is written with the largest unit that keeps it whole",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.seconds(90), "90s"), (.seconds(86_400), "24h"),
            (.seconds(300), "5m"),
        ])
    func written(duration: Duration, text: String) {
        #expect(DurationText.format(duration) == text)
    }
}
