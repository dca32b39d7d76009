import EventTransport
import Logging
import ProxyCore
import Signing
import TokenManager

/// A client certificate for endpoints, which is read again when its files change.
///
/// Confined to the worker's loop, which does not wait for the files once it serves requests.
final class ClientIdentity {
    /// Reads a certificate with its key and passes the result on, on the loop.
    typealias Reader = (ClientCertificateFiles, @escaping (Found) -> Void) -> Void
    typealias Found = Result<PresentedCertificate, TransportError>

    /// The newest usable certificate.
    private(set) var presented: TLSIdentity
    /// Increases with every new certificate.
    private(set) var generation = 0

    /// When the newest certificate expires, in seconds since 1970.
    private(set) var expiresAt: Int64?

    private let files: ClientCertificateFiles
    private let logger: Logger
    private var pair: PresentedCertificate
    /// The newest unusable certificate, such as one with the key of another; it is checked only once.
    private var refused: PresentedCertificate?
    private var nextReading: MonotonicInstant
    private let reader: Reader
    private var reading = SecretReading.idle
    /// When the read in progress has taken too long.
    private var stallsAt: MonotonicInstant
    /// Why the files were unusable at the last read.
    private var problem: String?

    /// As often as a credential's secrets are read.
    private static let readingInterval: Duration = .seconds(1)
    /// A read that takes longer is reported.
    private static let readingPatience: Duration = .seconds(10)

    /// Reads the certificate for the first time, and waits for the file system.
    ///
    /// - Throws: The reason why the certificate is unusable.
    init(
        _ files: ClientCertificateFiles, at now: MonotonicInstant, logger: Logger,
        reader: @escaping Reader
    ) throws(TransportError) {
        self.reader = reader
        self.files = files
        self.logger = logger
        pair = try Self.read(files)
        presented = try Self.identity(of: pair)
        expiresAt = Self.end(of: pair)
        nextReading = now.advanced(by: Self.readingInterval)
        stallsAt = nextReading
    }

    /// Begins to read the files if it is due.
    func renew(at now: MonotonicInstant) {
        guard now >= nextReading else { return }
        switch reading.begin() {
        case .read:
            nextReading = now.advanced(by: Self.readingInterval)
            stallsAt = now.advanced(by: Self.readingPatience)
            reader(files) { [weak self] in self?.filesRead($0) }
        case .none:
            guard now >= stallsAt else { return }
            switch reading.timedOut() {
            case .report:
                report(
                    "\(files.certificate) or \(files.privateKey) could not be read for "
                        + "\(Self.readingPatience.components.seconds) s: look at the file system that holds it")
            case .none: break
            }
        }
    }

    private func filesRead(_ result: Found) {
        switch reading.ended() {
        case .use: take(result)
        case .none: break
        }
    }

    /// Uses another certificate from now on.
    ///
    /// An unusable result changes nothing: while a pair is being replaced, one file is often older than the other.
    private func take(_ result: Found) {
        do throws(TransportError) {
            let found = try result.get()
            guard found != refused else { return }
            refused = nil
            if found != pair { try replace(with: found) }
            problem = nil
        } catch {
            report(error.message)
        }
    }

    private func report(_ reason: String) {
        guard problem != reason else { return }
        problem = reason
        logger.warning("client certificate not replaced", metadata: ["reason": "\(reason)"])
    }

    /// Reads on threads of its own, because a file system may hang.
    static func reader(on loop: EventLoop) -> Reader {
        { files, done in
            let done = LoopBound(done, loop: loop)
            FileThreads.shared.submit {
                let result = result(of: files)
                loop.execute { done.value(result) }
            }
        }
    }

    /// Reads on the calling thread.
    static func result(of files: ClientCertificateFiles) -> Found {
        do throws(TransportError) {
            return .success(try read(files))
        } catch {
            return .failure(error)
        }
    }

    private func replace(with found: PresentedCertificate) throws(TransportError) {
        do throws(TransportError) {
            presented = try Self.identity(of: found)
        } catch {
            refused = found
            throw error
        }
        pair = found
        expiresAt = Self.end(of: found)
        generation += 1
        logger.notice("client certificate replaced", metadata: ["file": "\(files.certificate)"])
    }

    private static func end(of pair: PresentedCertificate) -> Int64? {
        SigningKey.validity(certificate: pair.chain)?.notAfter
    }

    private static func read(_ files: ClientCertificateFiles) throws(TransportError) -> PresentedCertificate {
        let reader = SystemSecretReader()
        do throws(TokenError) {
            func text(_ path: String) throws(TokenError) -> String {
                try FileWaits.shared.reading(path) { () throws(TokenError) in try reader.readNow(.file(path: path)) }
            }
            return PresentedCertificate(
                chain: try text(files.certificate), privateKey: try text(files.privateKey))
        } catch {
            throw TransportError(.tlsConfiguration, error.message)
        }
    }

    private static func identity(of pair: PresentedCertificate) throws(TransportError) -> TLSIdentity {
        let identity = TLSIdentity(chain: pair.chain, privateKey: pair.privateKey)
        _ = try TLSContext(trusting: nil, identity: identity)
        return identity
    }
}
