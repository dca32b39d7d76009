import Glibc
import Support
import Testing

/// Bodies much larger than any buffer of the proxy or the kernel.
@Suite("Large bodies stream", .serialized)
struct LargeBodyTests {
    private static let pattern = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private static func body(_ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        while bytes.count < size { bytes += pattern }
        return bytes
    }

    @Test("A large body arrives and comes back unchanged", arguments: ["length", "chunked"])
    func roundTrip(_ framing: String) throws {
        let size = 8 << 20
        let body = Self.body(size)
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                try connection.send(request.body)
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n")
            if framing == "length" {
                try client.send("Content-Length: \(size)\r\n\r\n")
                try client.send(body)
            } else {
                try client.send("Transfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: size, by: 1 << 20) {
                    try client.send("100000\r\n")
                    try client.send(Array(body[start..<start + 1 << 20]))
                    try client.send("\r\n")
                }
                try client.send("0\r\n\r\n")
            }
            let response = try client.response()
            #expect(response.body == body)
            #expect(try client.get("\(scene.url)/after").status == 200)
        }
    }

    @Test("A slow reader stops the backend: the proxy reads only a limited amount")
    func slowReader() throws {
        let size = 64 << 20
        let bound = 28 << 20
        let body = Self.body(size)
        let pushed = Monitor<Int?>(nil)
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let count = try connection.push(body, untilStalledFor: .milliseconds(300))
            pushed.access { $0 = count }
            try connection.send(Array(body[count...]))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client(receiveBuffer: 8192)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let taken = try pushed.wait("the backend stalls or has sent all") { $0 }
            #expect(taken < bound, "the proxy took \(taken) bytes that nobody read")
            let head = try client.responseHead()
            #expect(head.status == 200)
            try Self.expectBody(size) { try client.receiveSome() }
        }
    }

    @Test("A backend that does not read stops the app: the proxy reads only a limited amount")
    func slowBackend() throws {
        let size = 64 << 20
        let bound = 28 << 20
        let body = Self.body(size)
        let stalled = Gate("the app's sending stalled")
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            try stalled.wait()
            try Self.expectBody(size) { try connection.receiveSome() }
            try connection.send(Scripts.response("ok"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            var sent = 0
            while sent < size {
                let count = try client.socket.sendSome(body[sent...])
                sent += count
                if count == 0, !client.socket.canSend(within: .milliseconds(300)) { break }
            }
            #expect(sent < bound, "the proxy took \(sent) bytes that nobody read")
            stalled.open()
            try client.send(Array(body[sent...]))
            #expect(try client.response().text == "ok")
        }
    }

    @Test("Other requests are served while a body is stuck")
    func othersServed() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                guard request.target == "/stuck" else {
                    try connection.send(Scripts.response("ok"))
                    continue
                }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
                _ = try connection.push(Self.body(64 << 20), untilStalledFor: .milliseconds(100))
                connection.receiveUntilEnd()
            }
        }
        try withScene(backend: script) { scene in
            let stuck = try scene.client(receiveBuffer: 8192)
            defer { stuck.close() }
            try stuck.send("GET \(scene.url)/stuck HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try stuck.responseHead()
            #expect(head.status == 200)
            for _ in 0..<20 {
                let response = try scene.get("/other")
                #expect(response.text == "ok")
            }
        }
    }

    /// Reads so many bytes of the pattern, compares each, and expects them to be all.
    private static func expectBody(_ size: Int, _ receive: () throws -> [UInt8]) throws {
        var position = 0
        var isSame = true
        while position < size {
            let piece = try receive()
            guard !piece.isEmpty else { break }
            var done = 0
            while done < piece.count {
                let start = position % pattern.count
                let count = min(piece.count - done, pattern.count - start)
                isSame = isSame && isEqual(piece[done..<done + count], pattern[start..<start + count])
                done += count
                position += count
            }
        }
        #expect(position == size)
        #expect(isSame, "the body was changed on its way")
    }

    /// Compares as memory: element by element a debug build takes longer than the transfer.
    private static func isEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }
}
