import EventTransport
import Logging
import ProxyCore
import Signing
import TokenManager

/// A client certificate that endpoints show, which is read again when its files change.
///
/// Confined to the worker's loop, which does not wait for the files once requests are served.
final class ClientIdentity {
    /// Reads a certificate with its key, and tells the result on the loop.
    typealias Reader = (ClientCertificateFiles, @escaping (Found) -> Void) -> Void
    typealias Found = Result<PresentedCertificate, TransportError>

    /// The newest that can be used.
    private(set) var presented: TLSIdentity
    /// Grows with every new certificate.
    private(set) var generation = 0

    /// When the newest certificate ends, in seconds since 1970.
    private(set) var expiresAt: Int64?

    private let files: ClientCertificateFiles
    private let logger: Logger
    private var pair: PresentedCertificate
    /// The newest that cannot be used, such as a certificate beside the key of another; it is looked at once.
    private var refused: PresentedCertificate?
    private var nextReading: MonotonicInstant
    private let reader: Reader
    private var reading = SecretReading.idle
    /// When the reading that is under way takes too long.
    private var stallsAt: MonotonicInstant
    /// Why the files could not be used the last time.
    private var problem: String?

    /// The same as of a credential's secrets.
    private static let readingInterval: Duration = .seconds(1)
    /// A longer reading is reported.
    private static let readingPatience: Duration = .seconds(10)

    /// Reads the certificate the first time, and waits for the file system.
    ///
    /// - Throws: where the certificate cannot be used.
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

    /// Begins to read the files if it is time to.
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
    /// What cannot be used changes nothing: of a pair that is being replaced one file is often older than the other.
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

    /// Reads on threads of their own, as a file system may hang.
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
