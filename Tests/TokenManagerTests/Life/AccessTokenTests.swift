import Testing
import TokenManager

@Suite struct AccessTokenTests {
    @Test(
        "A token is refreshed between 70 and 80 % of its life and given up ten seconds or 5 % before its end",
        arguments: [
            (100, 0, 80, 95), (100, 0.5, 75, 95), (1000, 0, 800, 990), (3600, 0, 2880, 3590), (5, 0, 4, 4.75),
            (1, 0, 0.8, 0.95), (200, 0, 160, 190), (86_400, 0, 69_120, 86_390),
        ] as [(Double, Double, Double, Double)])
    func times(life: Double, random: Double, refresh: Double, end: Double) {
        let token = AccessToken(value: "t", life: .seconds(life), received: Sample.start, random: random)
        #expect(abs((token.refreshAt - Sample.at(refresh)) / .seconds(1)) < 0.000_001)
        #expect(abs((token.usableUntil - Sample.at(end)) / .seconds(1)) < 0.000_001)
    }

    @Test(
        "An absurd life is cut to what makes sense",
        arguments: [(.seconds(-5), 1), (.zero, 1), (.seconds(86_401), 86_400), (.seconds(Int64.max), 86_400)]
            as [(Duration, Double)])
    func absurd(life: Duration, seconds: Double) {
        let token = AccessToken(value: "t", life: life, received: Sample.start, random: 0)
        let expected = AccessToken(value: "t", life: .seconds(seconds), received: Sample.start, random: 0)
        #expect(token == expected)
    }
}
