import COpenSSL

/// Drives the handshake of one TLS session on its socket, then makes the connection.
///
/// Confined to the loop's thread. Calls its closure once; if it fails, perhaps before `begin()` returns.
final class TLSHandshake {
    private let loop: EventLoop
    private let session: TLSSession
    private var socket: Socket?
    private var reading: ReadinessWatch?
    private var writing: ReadinessWatch?
    private var done: ((Result<StreamConnection, TransportError>) -> Void)?

    init(
        _ session: TLSSession, on socket: consuming Socket, loop: EventLoop,
        _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) {
        self.loop = loop
        self.session = session
        self.done = done
        let descriptor = socket.descriptor
        self.socket = consume socket
        reading = ReadinessWatch(loop: loop, descriptor: descriptor, Event.read) { [unowned self] in step() }
        writing = ReadinessWatch(loop: loop, descriptor: descriptor, Event.write) { [unowned self] in step() }
    }

    deinit { cancel() }

    func begin() { step() }

    /// Closes the socket without a call of the closure.
    func cancel() {
        done = nil
        endWatching()
        socket = nil
    }

    private func endWatching() {
        reading?.end()
        writing?.end()
        reading = nil
        writing = nil
    }

    private func step() {
        writing?.stop()
        switch session.handshake() {
        case .wantsReading:
            reading?.start()
        case .wantsWriting:
            writing?.start()
        case .failed(let error):
            let done = done
            cancel()
            done?(.failure(error))
        case .done:
            let done = done
            endWatching()
            guard let socket = socket.take() else { return }
            let connection = StreamConnection(socket, tls: session, loop: loop)
            cancel()
            done?(.success(connection))
        }
    }
}

// SAFETY: holds one reference to the SSL_SESSION, which deinit gives back.
/// A session that a server issued, offered at the next connection to that server.
///
/// It is a copy, and so is what it offers: OpenSSL makes the session of a connection that breaks, even if only
/// close_notify is missing, unfit for resumption.
@safe
final class TLSResumption {
    private let session: OpaquePointer

    /// Nil if there is no memory for a copy.
    init?(copying issued: OpaquePointer) {
        guard let session = unsafe SSL_SESSION_dup(issued) else { return nil }
        unsafe self.session = session
    }

    deinit { unsafe SSL_SESSION_free(session) }

    func offer(on ssl: OpaquePointer) {
        guard let copy = unsafe SSL_SESSION_dup(session) else { return }
        unsafe _ = SSL_set_session(ssl, copy)
        unsafe SSL_SESSION_free(copy)
    }
}
