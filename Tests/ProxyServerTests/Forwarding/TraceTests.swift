import Support
import Testing

@Suite("TRACE would show the credential")
struct TraceTests {
    @Test(
        "It is refused on a route with a credential, however it is written",
        arguments: ["TRACE", "trace", "Trace", "TRACK", "track"])
    func refused(_ method: String) throws {
        try withScene { scene in
            try expectOwnAnswer(scene.get(method: method), 403)
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("It is forwarded without a credential, as are methods whose names only begin with it")
    func forwarded() throws {
        try withScene(Layout(route: ["credential: none"])) { scene in
            for method in ["TRACE", "trace", "TRACK"] {
                let response = try scene.get(method: method)
                #expect(response.status == 200)
            }
        }
        try withScene { scene in
            for method in ["TRAC", "TRACES", "TRACKS"] {
                let response = try scene.get(method: method)
                #expect(response.status == 200)
            }
        }
    }
}
