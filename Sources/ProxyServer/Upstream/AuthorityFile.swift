import EventTransport
import Logging
import Signing
import TokenManager

/// The certificate authorities of one `caFile`, which is read again when it changes.
///
/// Confined to the worker's loop, which does not wait for the file once it serves requests.
final class AuthorityFile {
    typealias Found = Result<TrustedAuthorities, TransportError>
    /// Reads a file and passes the result to `done` on the loop.
    typealias Reader = (_ file: String, _ done: @escaping (Found) -> Void) -> Void

    /// Increases with every change of the authorities.
    private(set) var generation = 0

    private var changing: ChangingAuthorities
    private let reader: Reader
    private let logger: Logger
    private var reading = SecretReading.idle
    private var nextReading: MonotonicInstant
    /// When the read in progress has taken too long.
    private var stallsAt: MonotonicInstant

    /// As often as a client certificate is read.
    private static let readingInterval: Duration = .seconds(1)
    /// A read that takes longer is reported.
    private static let readingPatience: Duration = .seconds(10)

    /// Reads the file for the first time, and waits for the file system.
    ///
    /// - Throws: The reason why the file is unusable.
    init(
        _ file: String, at now: MonotonicInstant, logger: Logger, reader: @escaping Reader
    ) throws(TransportError) {
        self.reader = reader
        self.logger = logger
        let first = try FileWaits.shared.reading(file) { () throws(TransportError) in try TrustedAuthorities(file: file)
        }
        changing = try ChangingAuthorities(first)
        nextReading = now.advanced(by: Self.readingInterval)
        stallsAt = nextReading
    }

    /// The newest usable authorities.
    var authorities: TrustedAuthorities { changing.newest }

    /// Begins to read the file if it is due.
    func renew(at now: MonotonicInstant) {
        guard now >= nextReading else { return }
        switch reading.begin() {
        case .read:
            nextReading = now.advanced(by: Self.readingInterval)
            stallsAt = now.advanced(by: Self.readingPatience)
            reader(authorities.file) { [weak self] in self?.fileRead($0) }
        case .none:
            guard now >= stallsAt else { return }
            switch reading.timedOut() {
            case .report:
                reportKept(
                    "\(authorities.file) could not be read for \(Self.readingPatience.components.seconds) s: "
                        + "look at the file system that holds it")
            case .none: break
            }
        }
    }

    private func fileRead(_ found: Found) {
        switch reading.ended() {
        case .use: take(found)
        case .none: break
        }
    }

    private func take(_ found: Found) {
        switch changing.fileRead(found) {
        case .replaced:
            generation += 1
            logger.notice("certificate authorities replaced", metadata: ["file": "\(authorities.file)"])
        case .kept(let reason): reportKept(reason)
        case .none: break
        }
    }

    private func reportKept(_ reason: String) {
        logger.warning(
            "certificate authorities not replaced, the old ones are kept", metadata: ["reason": "\(reason)"])
    }

    /// Reads on threads of its own, because a file system may hang.
    static func reader(on loop: EventLoop) -> Reader {
        { file, done in
            let done = LoopBound(done, loop: loop)
            FileThreads.shared.submit {
                let found = TrustedAuthorities.reading(file)
                loop.execute { done.value(found) }
            }
        }
    }
}
