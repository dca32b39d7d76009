import ProxyCore
import Testing

@Suite struct ReasonPhraseTests {
    @Test("Every status that Attaché sends itself has a reason phrase")
    func known() {
        let own = [200, 400, 401, 403, 404, 405, 407, 408, 409, 413, 414, 421, 422, 431, 501, 502, 503, 504, 505, 508]
        for status in own { #expect("\(ReasonPhrase.of(status))" != "Unknown", "\(status)") }
        #expect("\(ReasonPhrase.of(431))" == "Request Header Fields Too Large")
    }
}
