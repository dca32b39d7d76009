import Testing

@testable import ProxyServer

@Suite struct UnitHealthCheckTests {
    @Test(
        "A page is shown without what a terminal would obey",
        arguments: [
            ("alive\n", "alive"), ("one\ntwo\n", "one\ntwo"), ("", ""),
            ("\u{1b}[2Jé\u{7}\r\n", "\\u001b[2Jé\\u0007\\r"),
            ("\u{9b}31m\u{202e}", "\\u009b31m\\u202e"),
        ])
    func text(page: String, shown: String) {
        #expect(HealthCheck.text(Array(page.utf8)) == shown)
    }
}
