import EventTransport
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitEmbeddedServerTests {
    private static let page = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("Requests sent ahead on several connections are answered in turn, one in each turn of the loop")
    func onePerTurn() throws {
        let (clientCount, requestCount) = (3, 20)
        let loop = try EventLoop()
        var turns: [UInt64] = []
        var paths: [String] = []
        let server = try EmbeddedServer(loop: loop, address: .loopback) { request, answer in
            turns.append(loop.turn)
            paths.append(request.path)
            answer(.init(200, "ok\n"))
            if turns.count == clientCount * requestCount { loop.stop() }
        }
        defer { server.close() }
        let port = try #require(server.address).port
        var clients: [RawClient] = []
        defer { for client in clients { client.close() } }
        for number in 0..<clientCount {
            let client = try RawClient(port: port)
            clients.append(client)
            try client.send(String(repeating: "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n", count: requestCount))
        }
        let giveUp = Timer(loop: loop) { loop.stop() }
        giveUp.schedule(after: .seconds(60))
        loop.run()
        #expect(turns.count == clientCount * requestCount)
        #expect(Set(turns).count == turns.count)
        // All three stood ready before the loop began.
        #expect(Set(paths.prefix(clientCount)).count == clientCount, "\(paths)")
    }

    @Test("A client that waits for a late response is not closed for a new one")
    func busyIsKept() throws {
        let loop = try EventLoop()
        let limit = DescriptorBudget(limit: DescriptorLimit.current).adminConnections
        var answers: [EmbeddedServer.Answer] = []
        let server = try EmbeddedServer(loop: loop, address: .loopback) { _, answer in
            answers.append(answer)
            loop.stop()
        }
        defer { server.close() }
        let port = try #require(server.address).port
        let busy = try RawClient(port: port)
        defer { busy.close() }
        try busy.send(Self.page)
        let giveUp = Timer(loop: loop) { loop.stop() }
        giveUp.schedule(after: .seconds(60))
        loop.run()
        var others: [RawClient] = []
        defer { for client in others { client.close() } }
        for _ in 0..<limit + 1 { others.append(try RawClient(port: port)) }
        let last = try #require(others.last)
        try last.send(Self.page)
        loop.run()
        #expect(answers.count == 2)
        for answer in answers { answer(.init(200, "late\n")) }
        loop.execute { loop.stop() }
        loop.run()
        #expect(try busy.response().text == "late\n")
        #expect(try last.response().text == "late\n")
        #expect(try others[0].endsNow())
    }

    @Test("If every connection waits for a late response, a new one takes the place of the one that waits longest")
    func longestWaiting() throws {
        let loop = try EventLoop()
        let limit = DescriptorBudget(limit: DescriptorLimit.current).adminConnections
        var waiting: [EmbeddedServer.Answer] = []
        let server = try EmbeddedServer(loop: loop, address: .loopback) { request, answer in
            if request.path == "/late" {
                waiting.append(answer)
                if waiting.count == limit { loop.stop() }
            } else {
                answer(.init(200, "ok\n"))
                loop.stop()
            }
        }
        defer { server.close() }
        let port = try #require(server.address).port
        let giveUp = Timer(loop: loop) { loop.stop() }
        giveUp.schedule(after: .seconds(60))
        let clients = try (0..<limit).map { _ in try RawClient(port: port) }
        defer { for client in clients { client.close() } }
        for client in clients { try client.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n") }
        loop.run()
        #expect(waiting.count == limit)
        let other = try RawClient(port: port)
        defer { other.close() }
        try other.send(Self.page)
        loop.run()
        #expect(try other.response().text == "ok\n")
        for answer in waiting { answer(.init(200, "late\n")) }
        loop.execute { loop.stop() }
        loop.run()
        let answered = clients.count { (try? $0.response().text) == "late\n" }
        #expect(answered == limit - 1)
    }

    @Test("A connection with an unread request is not closed for a new one")
    func unreadIsKept() throws {
        let loop = try EventLoop()
        let limit = DescriptorBudget(limit: DescriptorLimit.current).adminConnections
        var answerCount = 0
        let server = try EmbeddedServer(loop: loop, address: .loopback) { _, answer in
            answerCount += 1
            answer(.init(200, "ok\n"))
            loop.stop()
        }
        defer { server.close() }
        let port = try #require(server.address).port
        var clients: [RawClient] = []
        defer { for client in clients { client.close() } }
        for _ in 0..<limit { clients.append(try RawClient(port: port)) }
        var isTooLate = false
        let giveUp = Timer(loop: loop) {
            isTooLate = true
            loop.stop()
        }
        giveUp.schedule(after: .seconds(60))
        try clients[limit - 1].send(Self.page)
        loop.run()
        #expect(answerCount == 1)
        // The listener hears of the new one before the oldest one's bytes are read.
        clients.append(try RawClient(port: port))
        try clients[0].send(Self.page)
        try clients[limit].send(Self.page)
        while answerCount < 3, !isTooLate { loop.run() }
        #expect(try clients[0].response().status == 200)
        #expect(try clients[limit].response().status == 200)
        #expect(try clients[1].endsNow())
    }

    @Test("However many clients send requests ahead, a new one is answered", arguments: [true, false])
    func pipelining(hasAnswers: Bool) throws {
        let loop = try EventLoop()
        let limit = DescriptorBudget(limit: DescriptorLimit.current).adminConnections
        var answerCount = 0
        var isNewAnswered = false
        let server = try EmbeddedServer(loop: loop, address: .loopback) { request, answer in
            answerCount += 1
            answer(.init(200, "ok\n"))
            isNewAnswered = isNewAnswered || request.path == "/new"
            if isNewAnswered || answerCount == limit { loop.stop() }
        }
        defer { server.close() }
        let port = try #require(server.address).port
        let clients = try (0..<limit).map { _ in try RawClient(port: port) }
        defer { for client in clients { client.close() } }
        for client in clients { try client.send(String(repeating: Self.page, count: 100)) }
        let giveUp = Timer(loop: loop) { loop.stop() }
        giveUp.schedule(after: .seconds(60))
        // Either each of them has been answered once, or none when the new one comes.
        if hasAnswers { loop.run() }
        let new = try RawClient(port: port)
        defer { new.close() }
        try new.send("GET /new HTTP/1.1\r\nHost: x\r\n\r\n")
        while !isNewAnswered, answerCount < limit * 10 { loop.run() }
        #expect(isNewAnswered)
        // It waited for one turn of each other client at most.
        #expect(answerCount <= limit * 3)
        loop.execute { loop.stop() }
        loop.run()
        #expect(try new.response().text == "ok\n")
    }

    @Test("Requests that arrive byte by byte are read whole, one after the other")
    func drip() throws {
        let loop = try EventLoop()
        var requests: [String] = []
        let server = try EmbeddedServer(loop: loop, address: .loopback) { request, answer in
            requests.append("\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
            answer(.init(200, "ok\n"))
            if requests.count == 6 { loop.stop() }
        }
        defer { server.close() }
        let client = try RawClient(port: try #require(server.address).port)
        defer { client.close() }
        let texts = [
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
            "PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
            "PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
        ]
        let giveUp = Timer(loop: loop) { loop.stop() }
        giveUp.schedule(after: .seconds(60))
        for byte in texts.joined().utf8 {
            try client.send(String(decoding: [byte], as: UTF8.self))
            // Long enough for the byte to be read, and for the turn after it.
            for _ in 0..<3 {
                loop.nextTurn { loop.stop() }
                loop.run()
            }
        }
        try client.send(texts.joined())
        if requests.count < 6 { loop.run() }
        #expect(requests == ["GET /a ", "PUT /b hello", "PUT /c hello", "GET /a ", "PUT /b hello", "PUT /c hello"])
    }
}
