import Support
import Testing

@testable import ProxyServer

@Suite("The status page")
struct StatusPageTests {
    @Test("The page shows credentials and routes with what has just happened, and no token")
    func page() throws {
        try withScene { scene in
            for _ in 0..<3 { #expect(try scene.get().status == 200) }
            // A count may be published a moment after its answer.
            let page = try Patience.poll("the requests") { () -> ReceivedResponse? in
                let page = try scene.proxy.admin("/")
                return page.text.contains("200: 3<") ? page : nil
            }
            #expect(page.status == 200)
            #expect(page.fields["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.fields["Cache-Control"] == "no-store")
            #expect(page.fields["X-Frame-Options"] == "DENY")
            #expect(page.fields["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            let read = try MarkupReader(page.text)
            for part in ["ready", "main", "requests in each 10 s", "received ", "expires in"] {
                #expect(read.text.contains(part), "\(part)")
            }
            #expect(!page.text.contains("canary"))
        }
    }

    @Test("A failing credential and requests without a route stand on the page")
    func failing() throws {
        try withScene(Layout(credential: ["required: false"]), then: .status(401, "{\"error\":\"invalid_client\"}")) {
            scene in
            let client = try scene.client()
            defer { client.close() }
            _ = try client.get("http://denied.example/")
            let page = try Patience.poll("the failure") { () -> ReceivedResponse? in
                let page = try scene.proxy.admin("/")
                return page.text.contains("invalid_client") && page.text.contains("Without a route") ? page : nil
            }
            let read = try MarkupReader(page.text)
            for part in ["failed", "not required", "Next: another attempt ", "403: 1"] {
                #expect(read.text.contains(part), "\(part)")
            }
        }
    }

    @Test("HEAD gets the fields without the page")
    func head() throws {
        try withScene { scene in
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            let response = try client.exchange("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n", method: "HEAD")
            #expect(response.status == 200)
            #expect(response.fields["Content-Security-Policy"] != nil)
            #expect(response.text.isEmpty)
        }
    }
}
