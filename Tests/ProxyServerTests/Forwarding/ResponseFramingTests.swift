import Support
import Testing

/// How each framing is written is tested with the vectors; these tests show what an app and a backend see of it.
@Suite("Responses in any framing")
struct ResponseFramingTests {
    /// What a backend sends for a request, and what the app gets.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        /// The version that the app speaks, and its fields.
        var version = "1.1"
        var asked = ""
        let sent: String
        /// Whether the backend ends its connection behind the response.
        var ends = false
        let status: Int
        let framing: ReceivedFraming
        var text = ""
        var fields: [String: String] = [:]
        var absent: [String] = []
        /// Whether the app's connection serves the next request.
        var isPersistent = true
        /// Whether the backend's connection serves the next request.
        var isReused = true

        init(
            _ name: String, _ sent: String, _ status: Int, _ framing: ReceivedFraming, _ text: String = "",
            _ adjust: (inout Course) -> Void = { _ in }
        ) {
            (testDescription, self.sent, self.status, self.framing, self.text) = (name, sent, status, framing, text)
            adjust(&self)
        }
    }

    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    static let withContent = [
        Course("a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, .length(5), "hello"),
        Course("a length of zero", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, .length(0)),
        Course(
            "chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;e=1\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", 200,
            .chunked, "hello"),
        Course("no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, .chunked),
        Course(
            "chunks with a trailer",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: t\r\n\r\n", 200,
            .chunked,
            "hello"),
        Course("the close", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it", 200, .chunked, "all of it")
        {
            ($0.ends, $0.isReused) = (true, false)
        },
        Course("the close in 1.0", "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nall of it", 200, .chunked, "all of it")
        {
            ($0.ends, $0.isReused) = (true, false)
        },
        Course("a length in 1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, .length(2), "ok") {
            $0.isReused = false
        },
        Course(
            "a length in 1.0 with keep-alive",
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", 200, .length(2), "ok"),
        // The backend's wish concerns its own connection only.
        Course(
            "Connection: close", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", 200, .length(2),
            "ok"
        ) { ($0.absent, $0.isReused) = (["Connection"], false) },
        Course(
            "a forged response behind it", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright" + forged, 200,
            .length(5),
            "right"
        ) { $0.isReused = false },
    ]

    static let withoutContent = [
        Course("a HEAD with a length", "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: \"e\"\r\n\r\n", 200, .none) {
            ($0.method, $0.fields) = ("HEAD", ["Content-Length": "1234", "ETag": "\"e\""])
        },
        Course("a HEAD with chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, .none) {
            $0.method = "HEAD"
        },
        Course("a 204", "HTTP/1.1 204 No Content\r\nETag: \"e\"\r\n\r\n", 204, .none) {
            ($0.fields, $0.absent) = (["ETag": "\"e\""], ["Transfer-Encoding"])
        },
        Course("a 304", "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n", 304, .none) {
            ($0.fields, $0.absent) = (["ETag": "\"e\""], ["Transfer-Encoding"])
        },
        Course("a 304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304, .none),
        Course("a HEAD with a forged response behind it", "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n" + forged, 200, .none) {
            ($0.method, $0.isReused) = ("HEAD", false)
        },
        Course(
            "a 204 with a forged response behind it", "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n" + forged, 204, .none
        ) {
            $0.isReused = false
        },
    ]

    static let toOldApps = [
        Course(
            "chunks to an app of 1.0, ended by the close",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", 200, .untilClose,
            "abcdefg"
        ) {
            ($0.version, $0.asked) = ("1.0", "Connection: keep-alive\r\n")
            ($0.absent, $0.isPersistent) = (["Transfer-Encoding"], false)
        },
        Course("the close to an app of 1.0", "HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, .untilClose, "until the end")
        {
            ($0.version, $0.ends, $0.isPersistent) = ("1.0", true, false)
        },
        Course(
            "interim responses, which an app of 1.0 does not get",
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone", 200, .length(4), "done"
        ) { ($0.version, $0.isPersistent) = ("1.0", false) },
        Course(
            "a length to an app of 1.0 that asks for keep-alive, which it is told",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, .length(2), "ok"
        ) { ($0.version, $0.asked, $0.fields) = ("1.0", "Connection: keep-alive\r\n", ["Connection": "keep-alive"]) },
    ]

    @Test(
        "The app gets each response whole, and the connections of both sides serve the next request if they can",
        arguments: withContent + withoutContent + toOldApps)
    func response(_ course: Course) throws {
        let script = course.ends ? Scripts.once(course.sent) : Scripts.always(course.sent)
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let count = course.isPersistent ? 3 : 1
            for _ in 0..<count {
                let response = try client.exchange(
                    "\(course.method) \(scene.url)/ HTTP/\(course.version)\r\nHost: x\r\n\(course.asked)\r\n",
                    method: course.method)
                #expect(response.version == "HTTP/1.1")
                #expect(response.status == course.status, "\(response)")
                #expect(response.framing == course.framing, "\(response)")
                #expect(response.text == course.text)
                for (name, value) in course.fields { #expect(response.fields.all(name) == [value], "\(response)") }
                for name in course.absent { #expect(response.fields[name] == nil, "\(response)") }
            }
            if !course.isPersistent { #expect(try client.endsNow()) }
            #expect(scene.backend.connectionCount == (course.isReused ? 1 : count))
        }
    }

    @Test("Attaché's own refusal of a HEAD request has no body")
    func ownAnswerToHead() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("http://denied.example/", method: "HEAD")
            #expect(response.status == 403)
            #expect(response.fields["Proxy-Status"] != nil)
            #expect(try client.get("\(scene.url)/").text == "/")
        }
    }
}
