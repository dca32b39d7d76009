import EventTransport
import Logging
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// A client certificate for endpoints, which is read again when its files change.
typealias ClientIdentity = RereadFile<PresentedCertificate>

extension RereadFile<PresentedCertificate> {
    /// A certificate that was just read.
    ///
    /// - Throws: The reason why the certificate is unusable.
    convenience init(
        _ files: ClientCertificateFiles, holding first: PresentedCertificate, at now: MonotonicInstant, logger: Logger,
        reader: @escaping Reader
    ) throws(TransportError) {
        let first = try ChangingContent(first) { certificate throws(TransportError) in
            _ = try TLSContext(trusting: nil, identity: certificate.identity)
        }
        self.init("\(files.certificate) or \(files.privateKey)", holding: first, at: now, reader: reader) { event in
            switch event {
            case .replaced:
                logger.notice("client certificate replaced", metadata: ["file": "\(files.certificate)"])
            case .kept(let reason):
                logger.warning("client certificate not replaced", metadata: ["reason": "\(reason)"])
            }
        }
    }

    /// Reads on the calling thread, which waits for the file system.
    static func read(_ files: ClientCertificateFiles) -> Found {
        let reader = SystemSecretReader()
        do throws(TokenError) {
            func text(_ path: String) throws(TokenError) -> String {
                try FileWaits.shared.reading(path) { () throws(TokenError) in try reader.readNow(.file(path: path)) }
            }
            return .success(
                PresentedCertificate(chain: try text(files.certificate), privateKey: try text(files.privateKey)))
        } catch {
            return .failure(TransportError(.tlsConfiguration, error.message))
        }
    }
}

extension ClientCertificateFiles {
    var paths: [String] { [certificate, privateKey] }
}

/// The certificate authorities of one `caFile`, which is read again when it changes.
typealias AuthorityFile = RereadFile<TrustedAuthorities>

extension RereadFile<TrustedAuthorities> {
    /// A file that was just read.
    ///
    /// - Throws: The reason why the file is unusable.
    convenience init(
        _ file: String, holding first: TrustedAuthorities, on loop: EventLoop, logger: Logger
    ) throws(TransportError) {
        self.init(
            file, holding: try ChangingAuthorities(first), at: loop.now,
            reader: Self.reader(of: [file], on: loop) { TrustedAuthorities.reading(file) }
        ) { event in
            switch event {
            case .replaced: logger.notice("certificate authorities replaced", metadata: ["file": "\(file)"])
            case .kept(let reason):
                logger.warning(
                    "certificate authorities not replaced, the old ones are kept", metadata: ["reason": "\(reason)"])
            }
        }
    }
}

/// The expiry of a backend's own certificate, as seen in a handshake.
struct BackendCertificate: Equatable, Sendable {
    let seenAt: MonotonicInstant
    /// In seconds since 1970.
    let expiresAt: Int64

    /// Of what several workers have seen, by the numbers of routes, the newest.
    static func newest(of workers: [[Int: BackendCertificate]]) -> [Int: BackendCertificate] {
        workers.reduce(into: [:]) { all, seen in all.merge(seen) { $0.seenAt >= $1.seenAt ? $0 : $1 } }
    }
}
