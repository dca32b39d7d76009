package import EventTransport
import Signing
package import TokenManager

/// The certificate authorities for token servers by their files, which are read again for each request.
///
/// Confined to its loop, which does not wait for the file system.
final class TokenServerAuthorities {
    /// Called with the reason why a changed file is not used.
    typealias Refused = @Sendable (_ reason: String) -> Void
    typealias Found = Result<TrustedAuthorities, TransportError>

    /// If a read takes longer, the old authorities are used.
    private static let timeout: Duration = .seconds(2)

    private let loop: EventLoop
    private let refused: Refused
    private var known: [String: ChangingAuthorities] = [:]

    /// One request that waits for a file.
    private final class Waiter {
        var done: ((Found) -> Void)?
        var limit: Timer?

        func end(_ result: Found) {
            let done = done
            self.done = nil
            limit = nil
            done?(result)
        }
    }

    init(loop: EventLoop, refused: @escaping Refused) {
        self.loop = loop
        self.refused = refused
    }

    /// Passes the newest usable authorities of a file to `done`, in a later turn of the loop.
    func read(_ file: String, _ done: @escaping (Found) -> Void) {
        let waiter = Waiter()
        waiter.done = done
        let limit = Timer(loop: loop) { [self] in
            let error = TransportError(
                .tlsConfiguration,
                "\(file) could not be read for \(Self.timeout.components.seconds) s: "
                    + "look at the file system that holds it"
            )
            waiter.end(take(.failure(error), of: file))
        }
        limit.schedule(after: Self.timeout)
        waiter.limit = limit
        FileThreads.shared.submit(
            { TrustedAuthorities.reading(file) }, for: loop, { [self] found in waiter.end(take(found, of: file)) })
    }

    /// Uses the result of a read; if it is unusable, the old authorities stay in use.
    private func take(_ found: Found, of file: String) -> Found {
        do throws(TransportError) {
            guard var changing = known[file] else {
                let first = try ChangingAuthorities(found.get())
                known[file] = first
                return .success(first.newest)
            }
            if case .kept(let reason) = changing.wasRead(found) { refused(reason) }
            known[file] = changing
            return .success(changing.newest)
        } catch {
            return .failure(error)
        }
    }
}

extension PresentedCertificate {
    /// The certificate and its key for a TLS context.
    package var identity: TLSIdentity { TLSIdentity(chain: chain, privateKey: privateKey) }
}
