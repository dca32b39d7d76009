/// An app: its connections, one after the other.
final class FuzzClient {
    /// What one connection carried.
    struct Stream {
        let socket: BenchSocket
        var sent: [UInt8] = []
        var received: [UInt8] = []
        /// Whether the app reset it, so that answers may be lost.
        var isReset = false
    }

    private(set) var streams: [Stream] = []
    private let port: UInt16
    private var hasEnded = true
    /// Whether the app leaves what comes where it is.
    var isLate = false

    init(port: UInt16) { self.port = port }

    func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if hasEnded {
            // A script that sends garbage one byte at a time would otherwise exceed the bench's limit of sockets.
            if let last = streams.last, last.socket.hasEnded { last.socket.close(resetting: false) }
            streams.append(Stream(socket: .connected(to: port)))
            hasEnded = false
        }
        let count = streams[streams.count - 1].socket.send(bytes)
        streams[streams.count - 1].sent += bytes.prefix(count)
        if count < bytes.count { hasEnded = true }
    }

    /// Says that nothing more will be sent; the answers are still read.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        streams.last?.socket.endSending()
    }

    func reset() {
        guard let last = streams.indices.last else { return }
        hasEnded = true
        streams[last].isReset = true
        streams[last].socket.close(resetting: true)
    }

    func poll() -> Bool {
        guard !isLate else { return false }
        var isActive = false
        for index in streams.indices where streams[index].socket.receive(into: &streams[index].received) {
            isActive = true
            if index == streams.indices.last, streams[index].socket.hasEnded { hasEnded = true }
        }
        return isActive
    }

    func closeAll() {
        for stream in streams { stream.socket.close(resetting: true) }
    }
}
