import COpenSSL
import Glibc

/// A small blocking server on 127.0.0.1, one thread a connection, whose conversation a closure scripts.
///
/// Serves TLS with an identity, plain TCP without one. `stop()` breaks off what is still open and waits for
/// every thread; releasing the server stops it.
package final class TLSTestServer: Sendable {
    package enum Version: Sendable {
        case tls11
        case tls12
        case tls13

        var number: Int32 {
            switch self {
            case .tls11: TLS1_1_VERSION
            case .tls12: TLS1_2_VERSION
            case .tls13: TLS1_3_VERSION
            }
        }
    }

    package let port: UInt16

    private let listener: Int32
    private let connections: TLSTestServerConnections
    private let acceptor: BackgroundThread

    /// Listens on a free port at once.
    ///
    /// - Parameters:
    ///   - identity: Nil for plain TCP.
    ///   - version: The only TLS version to speak; nil for 1.2 and 1.3.
    ///   - clientCAFile: The authority of the certificates that clients must show; nil if none is asked for.
    ///   - receiveBufferSize: The kernel's, to provoke backpressure early.
    ///   - gate: Every handshake waits for it.
    ///   - serve: Runs on a thread of its own for every connection whose handshake succeeded; when it returns,
    ///     the connection is ended in order.
    package init(
        identity: TestCertificates.Identity?, version: Version? = nil, clientCAFile: String? = nil,
        receiveBufferSize: Int32? = nil,
        gate: Gate? = nil, serve: @escaping @Sendable (TLSTestStream) -> Void
    ) {
        signal(SIGPIPE, SIG_IGN)
        let context = identity.map { TLSTestServerContext($0, version, clientCAFile) }
        let connections = TLSTestServerConnections(gate, serve)
        let (listener, port) = Self.listenOnFreePort(receiveBufferSize)
        self.connections = connections
        self.listener = listener
        self.port = port
        acceptor = BackgroundThread("of a test server") {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                connections.open(TLSTestStream(descriptor, context))
            }
        }
    }

    deinit { stop() }

    /// How many connections were accepted so far.
    package var connectionCount: Int { connections.count }

    /// What OpenSSL said about handshakes that failed.
    package var handshakeErrors: [String] { connections.handshakeErrors }

    /// Waits until every connection accepted so far has ended.
    package func waitUntilIdle() { connections.waitUntilIdle() }

    /// Breaks off what is open, and waits for every thread.
    package func stop() {
        guard connections.refuseMore() else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        try? acceptor.join()
        close(listener)
        connections.interruptAll()
        waitUntilIdle()
    }

    private static func listenOnFreePort(_ receiveBufferSize: Int32?) -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
        if var size = receiveBufferSize {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        precondition(isBound, "cannot listen on 127.0.0.1")
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
