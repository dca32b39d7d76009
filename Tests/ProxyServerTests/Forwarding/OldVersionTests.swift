import Support
import Testing

/// The rules for each version are tested with the vectors, and the framing of its responses in `ResponseFramingTests`.
@Suite("HTTP/1.0 clients")
struct OldVersionTests {
    @Test("An HTTP/1.0 client without Host gets its response and the close")
    func oldClient() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("GET \(scene.url)/old HTTP/1.0\r\n\r\n")
            #expect(response.text == "/old")
            #expect(try client.endsNow())
            #expect(scene.backend.requests.first?.fields.all("Host") == [scene.backend.authority])
            #expect(scene.backend.requests.first?.version == "HTTP/1.1")
        }
    }
}
