import Testing
import TokenManager

@Suite struct AccessTokenTests {
    @Test(
        "A token is refreshed between 70 and 80 % of its life and not used in the last ten seconds or 5 %",
        arguments: [
            (100, 0, 80, 95), (100, 0.5, 75, 95), (1000, 0, 800, 990), (3600, 0, 2880, 3590), (20, 0, 16, 19),
            (10, 0, 8, 9), (10, 0.5, 7.5, 9), (5, 0, 3.5, 4), (2, 0, 1.3, 1.5), (1, 0, 0.65, 0.75),
            (200, 0, 160, 190), (86_400, 0, 69_120, 86_390),
        ] as [(Double, Double, Double, Double)])
    func times(life: Double, random: Double, refresh: Double, end: Double) {
        let token = AccessToken(
            value: "t", life: .seconds(life), sent: Sample.start, received: Sample.start, random: random)
        #expect(abs((token.refreshAt - Sample.at(refresh)) / .seconds(1)) < 0.000_001)
        #expect(abs((token.usableUntil - Sample.at(end)) / .seconds(1)) < 0.000_001)
    }

    @Test("A token is no longer used before an end that is written in whole seconds", arguments: 4...100)
    func wholeSeconds(life: Int) {
        // The server gave it just before the end of a second, so that it lives almost a second less than it says.
        let end = Sample.at(Double(life) - 0.999)
        for random in [0, 0.5, 0.999] {
            let token = AccessToken(
                value: "t", life: .seconds(life), sent: Sample.start, received: Sample.start, random: random)
            #expect(token.usableUntil <= end)
            #expect(token.usableUntil - token.refreshAt >= .seconds(life) * 0.05)
        }
    }

    @Test(
        "The end of a token from a slow response counts from the request, and it is refreshed before",
        arguments: [
            (100, 0, 80, 95), (100, 3, 83, 98), (100, 4, 84, 99), (100, 6, 86, 99), (100, 10, 89, 99), (5, 0.5, 3.5, 4),
            (5, 2, 3.5, 4), (3600, 5, 2885, 3595),
        ] as [(Double, Double, Double, Double)])
    func latency(life: Double, took: Double, refresh: Double, end: Double) {
        let token = AccessToken(
            value: "t", life: .seconds(life), sent: Sample.start, received: Sample.at(took), random: 0)
        #expect(abs((token.refreshAt - Sample.at(refresh)) / .seconds(1)) < 0.000_001)
        #expect(abs((token.usableUntil - Sample.at(end)) / .seconds(1)) < 0.000_001)
    }

    @Test(
        "An absurd life is cut to a sensible one",
        arguments: [(.seconds(-5), 1), (.zero, 1), (.seconds(86_401), 86_400), (.seconds(Int64.max), 86_400)]
            as [(Duration, Double)])
    func absurd(life: Duration, seconds: Double) {
        let token = AccessToken(value: "t", life: life, sent: Sample.start, received: Sample.start, random: 0)
        let expected = AccessToken(
            value: "t", life: .seconds(seconds), sent: Sample.start, received: Sample.start, random: 0)
        #expect(token == expected)
    }
}
