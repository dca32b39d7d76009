import EventTransport
import TokenManager

/// What one or more files hold, which are read again at most once a second, when a request uses them.
///
/// Confined to the worker's loop, which does not wait for the files once it serves requests.
final class RereadFile<Content: Equatable> {
    typealias Found = Result<Content, TransportError>
    /// Reads the files and passes the result to the closure on the loop.
    typealias Reader = (_ done: @escaping (Found) -> Void) -> Void

    /// What the owner logs.
    enum Event: Equatable {
        case replaced
        /// The old content stays in use.
        case kept(reason: String)
    }

    /// Increases with every change of the content.
    private(set) var generation = 0

    private var content: ChangingContent<Content>
    private let reading: Confined<RepeatedReading>
    private let names: String
    private let reader: Reader
    private let log: (Event) -> Void

    /// - Parameters:
    ///   - names: The paths of the files, for messages.
    ///   - first: What they held just now.
    ///   - now: The current time.
    ///   - reader: Reads them again.
    ///   - log: Called when the content was replaced, or cannot be.
    init(
        _ names: String, holding first: ChangingContent<Content>, at now: MonotonicInstant, reader: @escaping Reader,
        log: @escaping (Event) -> Void
    ) {
        self.names = names
        content = first
        reading = Confined(RepeatedReading(after: now))
        self.reader = reader
        self.log = log
    }

    /// The newest usable content.
    var newest: Content { content.newest }

    /// Begins to read the files if that is due.
    func renew(at now: MonotonicInstant) {
        switch reading.value.used(at: now) {
        case .read: reader { [weak self] in self?.wasRead($0) }
        case .report:
            take(
                .failure(
                    TransportError(
                        .tlsConfiguration,
                        "\(names) could not be read for \(RepeatedReading.limit.components.seconds) s: look at the file "
                            + "system that holds it")))
        case .none: break
        }
    }

    private func wasRead(_ found: Found) {
        switch reading.value.ended() {
        case .use: take(found)
        case .none: break
        }
    }

    private func take(_ found: Found) {
        switch content.wasRead(found) {
        case .replaced:
            generation += 1
            log(.replaced)
        case .kept(let reason): log(.kept(reason: reason))
        case .none: break
        }
    }
}
