import ProxyCore
import Testing

@testable import ProxyServer

@Suite struct UnitAdminPagesTests {
    private let pages: [AdminPage] = [
        .get("/livez") { .init(200, "alive\n") },
        .get("/") { .init(200, "status\n") },
        AdminPage(.post, "/reload") { _, answer in answer(.init(200, "reloaded\n")) },
        .get("/level") { .init(200, "info\n") },
        AdminPage(.put, "/level") { request, answer in answer(.init(200, "set \(request.query)\n")) },
        AdminPage(.post, "/things/NAME/refresh") { request, answer in answer(.init(200, "\(request.name)\n")) },
    ]

    private func answer(
        _ method: String, _ path: String, isLocal: Bool = true, refusal: GatewayHosts.Refusal? = nil
    ) -> EmbeddedServer.Response {
        var answer = EmbeddedServer.Response(0, "")
        let request = EmbeddedServer.Request(
            method: method, path: path, query: "a=b", authorization: nil, body: [], refusal: refusal)
        AdminPages(pages, isLocal: isLocal).answer(request) { answer = $0 }
        return answer
    }

    @Test(
        "Method and path choose the page, and HEAD gets that of GET",
        arguments: [
            ("GET", "/livez", "alive\n"), ("HEAD", "/livez", "alive\n"), ("GET", "/", "status\n"),
            ("POST", "/reload", "reloaded\n"), ("GET", "/level", "info\n"), ("PUT", "/level", "set a=b\n"),
            ("POST", "/things/a.b-c/refresh", "a.b-c\n"), ("POST", "/things/NAME/refresh", "NAME\n"),
        ])
    func found(method: String, path: String, text: String) {
        let answer = answer(method, path)
        #expect(answer.status == 200)
        #expect(answer.body == text)
    }

    @Test(
        "Other methods are not allowed, and Allow names those that are",
        arguments: [
            ("POST", "/livez", "GET, HEAD"), ("get", "/livez", "GET, HEAD"), ("", "/", "GET, HEAD"),
            ("GET", "/reload", "POST"), ("HEAD", "/reload", "POST"), ("PUT", "/reload", "POST"),
            ("DELETE", "/level", "GET, HEAD, PUT"), ("GET", "/things/a/refresh", "POST"),
        ])
    func method(_ method: String, path: String, allowed: String) {
        let answer = answer(method, path)
        #expect(answer.status == 405)
        #expect(answer.fields == ["Allow: \(allowed)"])
        let page = path == "/things/a/refresh" ? "/things/NAME/refresh" : path
        #expect(answer.body == "The page \(page) takes only \(allowed)\n")
    }

    @Test(
        "Another page is not found, and the response names the existing ones",
        arguments: [
            "", "/livez/", "/Livez", "//livez", "/livez/x", "*", "/things//refresh", "/things/a/b/refresh", "/things/a",
        ])
    func notFound(_ path: String) {
        for method in ["GET", "POST"] {
            let answer = answer(method, path)
            #expect(answer.status == 404)
            #expect(
                answer.body
                    == "No page has this path. The pages are /livez, /, POST /reload, /level, PUT /level, POST /things/NAME/refresh\n"
            )
        }
    }

    @Test("Where other machines reach the listener, requests change nothing")
    func remote() {
        for path in ["/livez", "/", "/level"] { #expect(answer("GET", path, isLocal: false).status == 200) }
        for (method, path) in [("POST", "/reload"), ("PUT", "/level"), ("POST", "/things/a/refresh")] {
            let answer = answer(method, path, isLocal: false)
            #expect(answer.status == 403)
            #expect(answer.body.contains("admin.address"), "\(answer.body)")
        }
    }

    @Test(
        "A request that a web page of another site may have sent gets no page, and the answer says what to do",
        arguments: [(.host, 421), (.origin, 403)] as [(GatewayHosts.Refusal, Int)])
    func foreign(_ refusal: GatewayHosts.Refusal, status: Int) {
        for (method, path) in [("GET", "/livez"), ("HEAD", "/"), ("POST", "/reload"), ("GET", "/nowhere")] {
            let answer = answer(method, path, refusal: refusal)
            #expect(answer.status == status)
            #expect(answer.body.contains("admin.hosts"), "\(answer.body)")
        }
    }
}
