import EventTransport
import Logging
import ProxyCore
import TokenManager

/// The TLS of those endpoints that show one client certificate, which is read again when its files change.
///
/// Confined to the worker's loop.
final class ClientIdentity {
    /// Makes connections that show the newest certificate.
    private(set) var context: TLSContext
    /// Grows with every new certificate, so that an endpoint can tell which connections show an older one.
    private(set) var generation = 0

    /// When the newest certificate ends, in seconds since 1970.
    private(set) var expiresAt: Int64?

    private let caFile: String?
    private let files: ClientCertificateFiles
    private let logger: Logger
    private var pair: PresentedCertificate
    /// The newest that cannot be used, such as a certificate beside the key of another; it is looked at once.
    private var refused: PresentedCertificate?
    private var nextReading: MonotonicInstant
    /// Why the files could not be used the last time.
    private var problem: String?

    /// The same as of a credential's secrets.
    private static let readingInterval: Duration = .seconds(1)

    /// - Throws: where the certificate cannot be used.
    init(
        _ files: ClientCertificateFiles, caFile: String?, at now: MonotonicInstant, logger: Logger
    ) throws(TransportError) {
        self.files = files
        self.caFile = caFile
        self.logger = logger
        pair = try Self.read(files)
        context = try Self.context(pair, caFile)
        expiresAt = Self.end(of: pair)
        nextReading = now.advanced(by: Self.readingInterval)
    }

    /// Reads the files if it is time to.
    ///
    /// What cannot be used changes nothing: of a pair that is being replaced one file is often older than the other.
    func renew(at now: MonotonicInstant) {
        guard now >= nextReading else { return }
        nextReading = now.advanced(by: Self.readingInterval)
        do throws(TransportError) {
            let found = try Self.read(files)
            guard found != refused else { return }
            refused = nil
            if found != pair { try replace(with: found) }
            problem = nil
        } catch {
            guard problem != error.message else { return }
            problem = error.message
            logger.warning("client certificate not replaced", metadata: ["reason": "\(error.message)"])
        }
    }

    private func replace(with found: PresentedCertificate) throws(TransportError) {
        do throws(TransportError) {
            context = try Self.context(found, caFile)
        } catch {
            // Where it is the authorities' file that cannot be used, that may be mended without a change of these.
            if (try? Self.context(found, nil)) == nil { refused = found }
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
            return PresentedCertificate(
                chain: try reader.read(.file(path: files.certificate)),
                privateKey: try reader.read(.file(path: files.privateKey)))
        } catch {
            throw TransportError(.tlsConfiguration, error.message)
        }
    }

    private static func context(
        _ pair: PresentedCertificate, _ caFile: String?
    ) throws(TransportError) -> TLSContext {
        try TLSContext(caFile: caFile, identity: TLSIdentity(chain: pair.chain, privateKey: pair.privateKey))
    }
}
