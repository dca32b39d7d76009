import CLibevent
import Glibc

/// Asks a parent proxy for a tunnel over a connected socket, which then is the tunnel (RFC 9110 section 9.3.6).
///
/// Confined to the loop's thread. Calls one of its closures once. The bytes of the target behind the proxy's answer stay in
/// the kernel.
final class TunnelOpening {
    /// Called with the reason, and whether another address of the proxy may do better.
    typealias Failed = (TransportError, _ isBroken: Bool) -> Void

    private static let pieceSize = 4096

    private let loop: EventLoop
    private let parent: Connector.Parent
    private let authority: String
    private var socket: Socket?
    private var unsent: ArraySlice<UInt8>
    private var received: [UInt8] = []
    private var reading: ReadinessWatch?
    private var writing: ReadinessWatch?
    private var opened: ((consuming Socket) -> Void)?
    private var failed: Failed?

    init(
        to authority: String, through parent: Connector.Parent, via: [UInt8], on socket: consuming Socket,
        loop: EventLoop,
        opened: @escaping (consuming Socket) -> Void, failed: @escaping Failed
    ) {
        self.loop = loop
        self.parent = parent
        self.authority = authority
        unsent = parent.connectRequest(to: authority, via: via)[...]
        self.opened = opened
        self.failed = failed
        let descriptor = socket.descriptor
        self.socket = consume socket
        reading = ReadinessWatch(loop: loop, descriptor: descriptor, Event.read) { [unowned self] in receive() }
        writing = ReadinessWatch(loop: loop, descriptor: descriptor, Event.write) { [unowned self] in send() }
    }

    deinit { cancel() }

    func begin() {
        reading?.start()
        writing?.start()
    }

    /// Closes the socket without a call of a closure.
    func cancel() {
        opened = nil
        failed = nil
        reading?.end()
        writing?.end()
        reading = nil
        writing = nil
        socket = nil
    }

    private func send() {
        guard let descriptor = socket?.descriptor else { return }
        // SAFETY: the bytes are lent for the call.
        let count = unsafe unsent.withUnsafeBytes { bytes in
            unsafe attache_socket_send(descriptor, bytes.baseAddress, bytes.count)
        }
        if count > 0 { unsent = unsent.dropFirst(count) }
        // A failure to send is seen by the next receive, behind an answer that came early.
        if unsent.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { writing?.stop() }
    }

    private func receive() {
        guard let descriptor = socket?.descriptor else { return }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        // SAFETY: the buffer is lent for the call with its size.
        let count = unsafe recv(descriptor, &piece, piece.count, Int32(MSG_PEEK))
        guard count > 0 else {
            if count == 0 { return fail(by: .incomplete) }
            guard errno != EAGAIN, errno != EINTR else { return }
            return fail(TransportError(system: errno, "the connection with \(parent) broke"), isBroken: true)
        }
        let known = received.count
        received += piece[..<count]
        switch ConnectAnswer(received, known: known) {
        case .incomplete: take(count, from: descriptor, &piece)
        case .opened(let end):
            take(end - known, from: descriptor, &piece)
            open()
        case let answer: fail(by: answer)
        }
    }

    /// Takes bytes from the kernel that have been looked at.
    private func take(_ count: Int, from descriptor: Int32, _ piece: inout [UInt8]) {
        // SAFETY: the buffer is lent for the call, and is as large as what was looked at.
        _ = unsafe recv(descriptor, &piece, count, 0)
    }

    private func open() {
        let opened = opened
        reading?.end()
        writing?.end()
        guard let socket = socket.take() else { return }
        cancel()
        opened?(socket)
    }

    private func fail(by answer: ConnectAnswer) {
        fail(TransportError(parent, refusing: authority, by: answer), isBroken: answer.isOfBrokenProxy)
    }

    private func fail(_ error: TransportError, isBroken: Bool) {
        let failed = failed
        cancel()
        failed?(error, isBroken)
    }
}
