import Support
import Testing

@Suite("A redirect to another origin")
struct RedirectTests {
    /// How the app reaches the backend that redirects.
    enum Way: CaseIterable {
        case forward
        case terminate
        case gateway
    }

    @Test("is passed on unchanged, and the request that follows it has no credential", arguments: Way.allCases)
    func passedOn(_ way: Way) throws {
        let other = try ScriptedServer(Scripts.ok)
        defer { other.stop() }
        let location = "\(other.url)/elsewhere"
        var layout = Layout(
            route: ["connect: terminate"], match: "{ host: api.test }",
            top: ["unmatched: forward", "allowAddresses: [127.0.0.1]"])
        layout.listeners.append("{ address: 127.0.0.1:0, mode: gateway, route: main }")
        let redirect = Scripts.response("", status: "307 x", fields: "Location: \(location)\r\n")
        try withScene(layout, backend: Scripts.always(redirect)) { scene in
            let client = way == .gateway ? try RawClient(port: scene.proxy.ports[1]) : try scene.client()
            defer { client.close() }
            let first: ReceivedResponse
            switch way {
            case .forward: first = try client.get("http://api.test/")
            case .gateway: first = try client.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            case .terminate:
                try client.send("CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80\r\n\r\n")
                #expect(try client.response(to: "CONNECT").status == 200)
                first = try client.exchange("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n")
            }
            #expect(first.status == 307 && first.fields.all("Location") == [location])
            #expect(scene.backend.requests.first?.fields.all("Authorization").count == 1)
            #expect(other.connectionCount == 0)
            let follower = try scene.client()
            defer { follower.close() }
            #expect(try follower.get(location).status == 200)
            #expect(other.requests.count == 1)
            #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
        }
    }
}
