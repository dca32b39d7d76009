import ProxyCore
import Testing

@Suite struct SettingTextTests {
    @Test(
        "A configured duration is written exactly",
        arguments: [
            (.zero, "0 s"), (.milliseconds(500), "500 ms"), (.milliseconds(1500), "1500 ms"), (.seconds(30), "30 s"),
            (.seconds(86_400), "86400 s"),
        ] as [(Duration, String)])
    func text(_ duration: Duration, _ expected: String) {
        #expect(duration.settingText == expected)
    }
}
