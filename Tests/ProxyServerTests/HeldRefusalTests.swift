import Support
import Testing

/// The backend's refusal of a token while another is fetched, and what may happen meanwhile.
@Suite("A refusal that is held back")
struct HeldRefusalTests {
    private static let refusal = "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
    private static let counted = refusal + "Content-Length: 7\r\n\r\n"

    /// What comes of a refusal: at once, and when it is held back.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: String
        let rest: String
        var resets = false

        static let all = [
            Course(testDescription: "its body comes later", first: counted, rest: "refused"),
            Course(testDescription: "the backend ends behind it", first: counted + "refused", rest: ""),
            Course(
                testDescription: "its body and the backend's end come later", first: refusal + "\r\n", rest: "refused"),
            Course(testDescription: "the backend resets behind it", first: counted + "refused", rest: "", resets: true),
        ]
    }

    @Test("stays held where an app reads late that sent requests ahead", arguments: Course.all, [true, false])
    func lateReader(_ course: Course, _ isReplaced: Bool) throws {
        let (reader, rest, sent, token) = (LateReader(), Gate("the rest may come"), Gate("the rest came"), Gate())
        let script = reader.backend { connection in
            try connection.send(course.first)
            try rest.wait()
            try connection.send(course.rest)
            if course.resets { connection.reset() }
            sent.open()
        }
        let second: FakeTokenEndpoint.Answer = isReplaced ? .token(expiresIn: "3600") : .status(503, "")
        try withScene(tokens: [.token(expiresIn: "3600"), .held(token, second)], backend: script) { scene in
            defer {
                rest.open()
                token.open()
            }
            let client = try reader.client(in: scene)
            defer { client.close() }
            try scene.tokens.waitForRequests(2)
            rest.open()
            try sent.wait()
            try reader.catchUp(client, in: scene)
            token.open()
            let response = try client.response()
            #expect(response.status == (isReplaced ? 200 : 401))
            #expect(isReplaced || response.text == "refused")
            #expect(try client.response().status == 200)
        }
    }
}
