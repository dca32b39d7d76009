import COpenSSL
import Glibc

/// The certificate authorities of a PEM file, as they were when it was read.
package struct TrustedAuthorities: Hashable, Sendable {
    /// The most bytes that are read, more than any bundle of certificate authorities has.
    private static let byteLimit = 8 << 20
    private static let pieceSize = 65_536

    package let file: String
    private let pem: [UInt8]

    /// Reads the file on the calling thread, which waits for as long as the file system does.
    ///
    /// - Throws: `.tlsConfiguration` if the file cannot be read.
    package init(file: String) throws(TransportError) {
        self.file = file
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(file, errno) }
        defer { close(descriptor) }
        var pem: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            // SAFETY: the buffer is lent for the call, which fills at most its size.
            let count = unsafe read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(file, errno) }
            guard count > 0 else { break }
            pem += piece[..<count]
            guard pem.count <= Self.byteLimit else { throw Self.unreadable(file, EFBIG) }
        }
        self.pem = pem
    }

    /// Reads the file like `init`, but returns the error, for callers that keep the old authorities.
    package static func reading(_ file: String) -> Result<TrustedAuthorities, TransportError> {
        do throws(TransportError) {
            return .success(try TrustedAuthorities(file: file))
        } catch {
            return .failure(error)
        }
    }

    // SAFETY: the bytes are lent to OpenSSL while it reads them; the store takes a reference of its own to each
    // certificate, and the one made here is given back.
    /// Makes a context's connections trust these authorities and no others.
    func install(in context: OpaquePointer) throws(TransportError) {
        OpenSSLError.clear()
        var count = 0
        let isWhole = unsafe pem.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return false }
            defer { unsafe BIO_free(input) }
            guard let store = unsafe SSL_CTX_get_cert_store(context) else { return false }
            while let certificate = unsafe attache_pem_trusted_certificate(input) {
                defer { unsafe X509_free(certificate) }
                guard unsafe X509_STORE_add_cert(store, certificate) == 1 else { return false }
                count += 1
            }
            return OpenSSLError.isEndOfPEM
        }
        guard !isWhole || count == 0 else { return OpenSSLError.clear() }
        throw TransportError(
            .tlsConfiguration,
            "\(Self.what(file)): \(OpenSSLError.take().words); a PEM file of certificates is needed")
    }

    private static func unreadable(_ file: String, _ number: Int32) -> TransportError {
        let error = TransportError(system: number, what(file))
        return TransportError(.tlsConfiguration, error.message, errno: error.errno)
    }

    private static func what(_ file: String) -> String {
        "cannot read the certificate authorities of tls.caFile, \(file)"
    }
}
