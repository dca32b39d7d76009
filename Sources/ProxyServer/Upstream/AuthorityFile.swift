import EventTransport
import Logging
import Signing
import TokenClient

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
