import COpenSSL
import Glibc

// SAFETY: `ssl` is made in init, freed in deinit and never leaves this type. OpenSSL calls back only from within calls
// that this object makes, so slot 0 of `ssl` needs no reference. Bytes are lent to it for the calls.
/// TLS on one connected socket, client side.
///
/// Confined to the loop's thread. Owns no descriptor.
@safe
final class TLSSession {
    enum HandshakeOutcome {
        case done
        case wantsReading
        case wantsWriting
        case failed(TransportError)
    }

    /// The size of a record: two pieces that fit are sent in one record.
    private static let recordSize = 16 * 1024
    /// A read of at least this many bytes is part of a bulk transfer, whose next record has probably arrived.
    private static let bulkRead = 8 * 1024

    /// `host:port`, for messages.
    let authority: String
    let serverName: String
    /// The error that broke the session, once there is one.
    private(set) var failure: TransportError?
    /// The names in the subjectAltName of a refused certificate; empty if it has none.
    private(set) var refusedNames = ""

    /// When the peer's own certificate expires, in seconds since 1970; nil before the handshake is over.
    private(set) var peerCertificateEnd: Int64?

    /// Whether the authorities of a configured file were trusted instead of the system's.
    var trustsFile: Bool { context.trustsFile }

    private let context: TLSContext
    private let ssl: OpaquePointer
    private let resumptionKey: String
    private var receiving = Receiving.awaitsBytes

    /// What the next receive needs.
    private enum Receiving {
        /// Bytes at the descriptor.
        case awaitsBytes
        /// Nothing: OpenSSL may hold some.
        case mayHoldMore
        /// That OpenSSL sends bytes of its own.
        case awaitsSending
        /// Nothing: each returns this end or failure.
        case over(ReceiveOutcome)
    }

    init(
        _ context: TLSContext, descriptor: Int32, authority: String, serverName: String
    ) throws(TransportError) {
        OpenSSLError.clear()
        guard let ssl = unsafe SSL_new(context.context), unsafe SSL_set_fd(ssl, descriptor) == 1 else {
            throw TransportError(.tlsConfiguration, "cannot set up TLS: \(OpenSSLError.take().words)")
        }
        unsafe self.ssl = ssl
        self.context = context
        self.authority = authority
        self.serverName = serverName
        resumptionKey = "\(serverName) \(authority)"

        // SAFETY: `ssl` is freed with this object, and OpenSSL calls back only from calls made by it.
        unsafe _ = SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER, certificateChecked)
        // Only subjectAltName names a host; without the flag, OpenSSL falls back to the common name (RFC 9110 section
        // 4.3.4).
        unsafe SSL_set_hostflags(
            ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        let isNamed = unsafe SSL_set1_host(ssl, serverName) == 1
        let isSent = unsafe IPAddress(literal: serverName) != nil || attache_ssl_set_server_name(ssl, serverName) == 1
        guard isNamed, isSent, !serverName.isEmpty else {
            throw TransportError(.tlsConfiguration, "\"\(serverName)\" cannot be the name of a TLS server")
        }
        unsafe SSL_set_connect_state(ssl)
        unsafe context.resumption(for: resumptionKey)?.offer(on: ssl)
    }

    deinit { unsafe SSL_free(ssl) }

    func issued(_ resumption: TLSResumption) { context.keep(resumption, for: resumptionKey) }

    func noteRefusedNames(_ names: String) { refusedNames = names }

    func handshake() -> HandshakeOutcome {
        OpenSSLError.clear()
        let result = unsafe SSL_do_handshake(ssl)
        let number = errno
        if result == 1 {
            // The read-ahead may have taken more than the handshake from the socket.
            receiving = unsafe SSL_has_pending(ssl) == 1 ? .mayHoldMore : .awaitsBytes
            var end: Int64 = 0
            if unsafe attache_ssl_peer_certificate_end(ssl, &end) { peerCertificateEnd = end }
            return .done
        }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsReading
        case SSL_ERROR_WANT_WRITE: return .wantsWriting
        case let code:
            context.forget(resumptionKey)
            let verification = unsafe SSL_get_verify_result(ssl)
            let error = TransportError(handshakeOf: self, code, errno: number, verification: verification)
            failure = error
            return .failed(error)
        }
    }

    /// Fills up to `limit` bytes of the loop's read buffer from the records that have arrived.
    func receive(upTo limit: Int, on loop: EventLoop) -> ReceiveOutcome {
        if case .over(let outcome) = receiving { return outcome }
        var filled = 0
        while filled < limit {
            OpenSSLError.clear()
            // SAFETY: the buffer is the loop's own, and `filled` stays inside it.
            let count = unsafe SSL_read(
                ssl, loop.readBuffer.baseAddress.unsafelyUnwrapped + filled, Int32(limit - filled))
            guard count > 0 else {
                let stop = stopped(count, errno)
                return filled > 0 ? .bytes(filled) : stop
            }
            filled += Int(count)
            // A small response is complete by now: another read of the socket would be a wasted call.
            if count < Self.bulkRead, unsafe SSL_has_pending(ssl) == 0 {
                receiving = .awaitsBytes
                return .bytes(filled)
            }
        }
        receiving = .mayHoldMore
        return .bytes(filled)
    }

    func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, on loop: EventLoop) -> SendOutcome {
        guard unsafe !second.isEmpty else { return unsafe send(first) }
        let count = first.count + second.count
        guard count <= Self.recordSize else {
            let outcome = unsafe send(first)
            guard case .sent(first.count) = outcome else { return outcome }
            switch unsafe send(second) {
            case .sent(let count): return .sent(first.count + count)
            case .failed(let number): return .failed(number)
            }
        }
        let record = unsafe UnsafeMutableRawBufferPointer(start: loop.spareBuffers.take(), count: count)
        unsafe record.copyMemory(from: first)
        unsafe UnsafeMutableRawBufferPointer(rebasing: record[first.count...]).copyMemory(from: second)
        let outcome = unsafe send(UnsafeRawBufferPointer(record))
        if let start = record.baseAddress { unsafe loop.spareBuffers.give(start) }
        return outcome
    }

    /// Sends close_notify; false if the socket has no room for it now.
    func endSending() -> Bool {
        OpenSSLError.clear()
        let result = unsafe SSL_shutdown(ssl)
        return unsafe result >= 0 || SSL_get_error(ssl, result) != SSL_ERROR_WANT_WRITE
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> SendOutcome {
        var sent = 0
        while sent < bytes.count {
            OpenSSLError.clear()
            // SAFETY: OpenSSL only reads the bytes. A record that was not sent is repeated from the queue, from the
            // same first byte on, as SSL_write demands.
            let count = unsafe SSL_write(
                ssl, bytes.baseAddress.unsafelyUnwrapped + sent, Int32(min(bytes.count - sent, Int(Int32.max))))
            guard count > 0 else {
                let number = errno
                switch unsafe SSL_get_error(ssl, count) {
                case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .sent(sent)
                case SSL_ERROR_SYSCALL where number != 0: return .failed(number)
                case let code:
                    failure = TransportError(streamOf: self, code, errno: 0)
                    return .failed(0)
                }
            }
            sent += Int(count)
        }
        return .sent(sent)
    }

    /// Why a receive brought nothing; kept if the reason is permanent.
    private func stopped(_ result: Int32, _ number: Int32) -> ReceiveOutcome {
        let outcome: ReceiveOutcome
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ:
            receiving = .awaitsBytes
            return .wouldBlock
        case SSL_ERROR_WANT_WRITE:
            receiving = .awaitsSending
            return .mustSendFirst
        case SSL_ERROR_ZERO_RETURN:
            outcome = .ended
        case let code:
            failure = TransportError(streamOf: self, code, errno: number)
            outcome = .failed(0)
        }
        receiving = .over(outcome)
        return outcome
    }

    /// Whether a receive may bring bytes although the descriptor is not readable.
    var mayHoldMore: Bool {
        switch receiving {
        case .awaitsBytes: false
        case .mayHoldMore, .awaitsSending, .over: true
        }
    }

    /// Whether OpenSSL must send bytes of its own before it can receive.
    var receiveWaitsForSend: Bool {
        switch receiving {
        case .awaitsSending: true
        case .awaitsBytes, .mayHoldMore, .over: false
        }
    }

    /// Whether the stream's end has been seen, even if the delegate does not know it yet.
    var isOver: Bool {
        switch receiving {
        case .over: true
        case .awaitsBytes, .mayHoldMore, .awaitsSending: false
        }
    }
}

// SAFETY: slot 0 holds the TLSSession that owns the connection and is on the stack, in its handshake. The shim writes at
// most 256 bytes and ends them with a zero.
/// Called by OpenSSL with its verdict on every certificate of the peer's chain; does not change it.
private func certificateChecked(_ isGood: Int32, _ store: OpaquePointer?) -> Int32 {
    guard isGood == 0, let store = unsafe store, unsafe X509_STORE_CTX_get_error_depth(store) == 0,
        let certificate = unsafe X509_STORE_CTX_get_current_cert(store),
        let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let owner = unsafe SSL_get_ex_data(OpaquePointer(ssl), 0)
    else { return isGood }
    let names = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
        guard let start = text.baseAddress else { return "" }
        unsafe attache_certificate_names(certificate, start, 256)
        return unsafe String(cString: start)
    }
    unsafe Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().noteRefusedNames(names)
    return isGood
}
