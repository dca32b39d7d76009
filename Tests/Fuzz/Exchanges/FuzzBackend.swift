/// A backend that says what the script says, and remembers all it heard.
final class FuzzBackend {
    let name: String
    let port: UInt16
    private let listener: BenchSocket
    private(set) var connections: [FuzzBackendConnection] = []

    init(name: String) {
        self.name = name
        (listener, port) = BenchSocket.listening()
    }

    /// Takes what has come; the connection that heard last, if any did.
    func poll(_ clock: inout Int) -> Bool {
        var isActive = false
        while let socket = listener.accepted() {
            connections.append(FuzzBackendConnection(socket, backend: self))
            isActive = true
        }
        for connection in connections where connection.poll() {
            clock += 1
            connection.lastHeard = clock
            isActive = true
        }
        return isActive
    }

    func reset() {
        for connection in connections { connection.socket.close(resetting: true) }
        connections = []
    }
}

/// One connection of the proxy to a backend.
final class FuzzBackendConnection {
    unowned let backend: FuzzBackend
    let socket: BenchSocket
    var received: [UInt8] = []
    var sent: [UInt8] = []
    var lastHeard = 0
    /// How much had been sent when the first byte of each request came.
    private(set) var sentBefore: [Int] = []
    /// How many requests have been echoed.
    private var echoed = 0

    init(_ socket: BenchSocket, backend: FuzzBackend) {
        self.socket = socket
        self.backend = backend
    }

    func poll() -> Bool {
        guard socket.receive(into: &received) else { return false }
        let found = PlainRequests(received)
        let begun = found.requests.count + (found.hasRest ? 1 : 0)
        while sentBefore.count < begun { sentBefore.append(sent.count) }
        return true
    }

    func send(_ bytes: [UInt8]) {
        sent += bytes.prefix(socket.send(bytes))
    }

    /// A right answer to the last request, if there is one that has none yet.
    func echo(chunked: Bool) -> [UInt8] {
        let requests = PlainRequests(received).requests
        guard requests.count > echoed, let request = requests.last else { return [] }
        echoed = requests.count
        let content = Array(request.target.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let head = "HTTP/1.1 200 OK\r\n\(echoName): \(echoMark)\r\n"
        guard chunked else {
            return Array("\(head)Content-Length: \(content.count)\r\n\r\n") + (request.method == "HEAD" ? [] : content)
        }
        let start = Array("\(head)Transfer-Encoding: chunked\r\n\r\n")
        guard request.method != "HEAD" else { return start }
        return start + Array(String(content.count, radix: 16) + "\r\n") + content + Array("\r\n0\r\n\r\n")
    }
}

/// The field that tells an answer of the bench from one that the script made up; no input may hold its value.
let echoName = "x-echo"
let echoMark = "bench-7d1f3a"
