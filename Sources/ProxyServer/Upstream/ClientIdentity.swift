import EventTransport
import Logging
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// A client certificate for endpoints, which is read again when its files change.
typealias ClientIdentity = RereadFile<PresentedCertificate>

extension RereadFile<PresentedCertificate> {
    /// Reads the certificate for the first time, and waits for the file system.
    ///
    /// - Throws: The reason why the certificate is unusable.
    convenience init(
        _ files: ClientCertificateFiles, at now: MonotonicInstant, logger: Logger,
        reader: @escaping (ClientCertificateFiles, @escaping (Found) -> Void) -> Void
    ) throws(TransportError) {
        let first = try ChangingContent(Self.read(files)) { certificate throws(TransportError) in
            _ = try TLSContext(trusting: nil, identity: certificate.identity)
        }
        self.init("\(files.certificate) or \(files.privateKey)", holding: first, at: now) { done in
            reader(files, done)
        } log: { event in
            switch event {
            case .replaced:
                logger.notice("client certificate replaced", metadata: ["file": "\(files.certificate)"])
            case .kept(let reason):
                logger.warning("client certificate not replaced", metadata: ["reason": "\(reason)"])
            }
        }
    }

    /// When the newest certificate expires, in seconds since 1970.
    var expiresAt: Int64? { SigningKey.validity(certificate: newest.chain)?.notAfter }

    /// Reads on threads of its own, because a file system may hang.
    static func reader(on loop: EventLoop) -> (ClientCertificateFiles, @escaping (Found) -> Void) -> Void {
        { files, done in FileThreads.shared.submit({ result(of: files) }, for: loop, done) }
    }

    /// Reads on the calling thread.
    static func result(of files: ClientCertificateFiles) -> Found {
        do throws(TransportError) {
            return .success(try read(files))
        } catch {
            return .failure(error)
        }
    }

    private static func read(_ files: ClientCertificateFiles) throws(TransportError) -> PresentedCertificate {
        let reader = SystemSecretReader()
        do throws(TokenError) {
            func text(_ path: String) throws(TokenError) -> String {
                try FileWaits.shared.reading(path) { () throws(TokenError) in try reader.readNow(.file(path: path)) }
            }
            return PresentedCertificate(chain: try text(files.certificate), privateKey: try text(files.privateKey))
        } catch {
            throw TransportError(.tlsConfiguration, error.message)
        }
    }
}

/// The certificate authorities of one `caFile`, which is read again when it changes.
typealias AuthorityFile = RereadFile<TrustedAuthorities>

extension RereadFile<TrustedAuthorities> {
    /// Reads the file for the first time, and waits for the file system.
    ///
    /// - Throws: The reason why the file is unusable.
    convenience init(_ file: String, on loop: EventLoop, logger: Logger) throws(TransportError) {
        let first = try FileWaits.shared.reading(file) { () throws(TransportError) in try TrustedAuthorities(file: file)
        }
        self.init(file, holding: try ChangingAuthorities(first), at: loop.now) { done in
            FileThreads.shared.submit({ TrustedAuthorities.reading(file) }, for: loop, done)
        } log: { event in
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
}
