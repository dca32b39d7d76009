import COpenSSL
import Glibc

/// One connection of a test server; every call blocks, and belongs on the connection's own thread.
package final class TLSTestStream: @unchecked Sendable {
    private let descriptor: Int32
    private let ssl: OpaquePointer?
    private let isClosed = Monitor(false)
    private var hasEnded = false

    init(_ descriptor: Int32, _ context: TLSTestServerContext?) {
        self.descriptor = descriptor
        ssl = context.flatMap { SSL_new($0.context) }
        if let ssl { SSL_set_fd(ssl, descriptor) }
    }

    deinit { SSL_free(ssl) }

    /// The TLS version in OpenSSL's words ("TLSv1.3"); empty on a plain connection.
    package var version: String { ssl.map { String(cString: SSL_get_version($0)) } ?? "" }

    /// Whether the handshake resumed an earlier session.
    package var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// The name that the client asked for by SNI.
    package var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// The certificate that the client showed, in DER; empty if it showed none.
    package var clientCertificate: [UInt8] {
        guard let certificate = ssl.flatMap({ SSL_get1_peer_certificate($0) }) else { return [] }
        defer { X509_free(certificate) }
        return [UInt8](unsafeUninitializedCapacity: Int(i2d_X509(certificate, nil))) { buffer, filled in
            var start = buffer.baseAddress
            filled = Int(i2d_X509(certificate, &start))
        }
    }

    /// Reads at most so many bytes; none at the end of the stream or when it broke.
    package func read(atMost count: Int = 65536) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let got =
                ssl.map { Int(SSL_read($0, buffer.baseAddress, Int32(count))) }
                ?? recv(descriptor, buffer.baseAddress, count, 0)
            filled = max(0, got)
        }
    }

    /// Reads exactly so many bytes, fewer only at the end of the stream.
    package func read(exactly count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = read(atMost: count - bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }

    /// Reads until `end` has come; all there is if it never does.
    package func read(until end: String) -> String {
        var bytes: [UInt8] = []
        let end = Array(end.utf8)
        while !bytes.suffix(end.count).elementsEqual(end) {
            let more = read(atMost: 1)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes everything; false if the peer takes no more.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            let count = rest.withUnsafeBytes { rest in
                ssl.map { Int(SSL_write($0, rest.baseAddress, Int32(rest.count))) }
                    ?? send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Sends close_notify, or FIN on a plain connection; reading goes on.
    package func end() {
        guard !hasEnded else { return }
        hasEnded = true
        if let ssl { SSL_shutdown(ssl) } else { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Sends FIN without close_notify, as an attacker who cuts the stream would.
    package func cut() {
        hasEnded = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes the end of the connection a reset.
    package func reset() {
        hasEnded = true
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// What went wrong, nil if nothing did.
    func handshake() -> String? {
        guard let ssl else { return nil }
        ERR_clear_error()
        guard SSL_accept(ssl) != 1 else { return nil }
        hasEnded = true
        return ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) } ?? "the client went away"
    }

    /// Any thread: lets blocked calls return.
    func interrupt() {
        isClosed.access { isClosed in
            if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        if !hasEnded { end() }
        isClosed.access { isClosed in
            isClosed = true
            Glibc.close(descriptor)
        }
    }
}
