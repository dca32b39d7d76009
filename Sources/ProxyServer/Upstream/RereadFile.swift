import EventTransport
import Signing
import TokenClient
import TokenManager

/// What one or more files hold, which are looked at once a second at most, and read again when they have changed.
///
/// Confined to its loop, which does not wait for the files once it serves requests.
final class RereadFile<Content: Equatable & Sendable> {
    typealias Found = Result<Content, TransportError>
    /// Looks at the files, reads them unless they are unchanged since `known`, and passes the result to the closure on
    /// the loop.
    typealias Reader = (_ known: FileStamp?, _ done: @escaping (Look) -> Void) -> Void

    /// What a look has found.
    enum Look: Sendable {
        case unchanged
        case read(Found, FileStamp)
    }

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
    /// The look before the last read; nil if that failed, or if there was none.
    private var known: FileStamp?
    private let names: String
    private let reader: Reader
    private let log: (Event) -> Void

    /// - Parameters:
    ///   - names: The paths of the files, for messages.
    ///   - first: What they held just now.
    ///   - now: The current time.
    ///   - reader: Looks at them, and reads them again.
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

    /// A reader on threads of its own, because a file system may hang.
    static func reader(
        of paths: [String], on loop: EventLoop, _ read: @escaping @Sendable () -> Found
    ) -> Reader {
        { known, done in
            FileThreads.shared.submit({ look(at: paths, known: known, read) }, for: loop, done)
        }
    }

    /// Looks at the files on the calling thread, by default at the current time, in seconds since 1970.
    static func look(
        at paths: [String], known: FileStamp?, unixTime: Int? = nil, _ read: () -> Found
    ) -> Look {
        let stamp = FileStamp(of: paths, at: unixTime)
        if let known, stamp.isUnchanged(since: known) { return .unchanged }
        return .read(read(), stamp)
    }

    /// Begins to look at the files if that is due.
    func renew(at now: MonotonicInstant) {
        switch reading.value.used(at: now) {
        case .read: reader(known) { [weak self] in self?.looked($0) }
        case .report:
            known = nil
            take(
                .failure(
                    TransportError(
                        .system,
                        "\(names) could not be read for \(RepeatedReading.limit.components.seconds) s: look at the file "
                            + "system that holds it")))
        case .none: break
        }
    }

    private func looked(_ look: Look) {
        switch (reading.value.ended(), look) {
        case (.none, _), (.use, .unchanged): break
        case (.use, .read(let found, let stamp)):
            // A file that could not be read may be readable without another version.
            known = (try? found.get()) == nil ? nil : stamp
            take(found)
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

/// When files that a worker uses are read again, and which reads hang.
struct RepeatedReading: ~Copyable {
    /// As often as a credential's secrets are read.
    private static let interval: Duration = .seconds(1)
    /// A read that takes longer is reported.
    static let limit: Duration = .seconds(10)

    enum DueAction: Equatable {
        /// Begin to read.
        case read
        /// Report that the read in progress has taken longer than `limit`.
        case report
        case none
    }

    private var reading = SecretReading.idle
    private var nextReading: MonotonicInstant
    /// When the read in progress has taken too long.
    private var stallsAt: MonotonicInstant

    /// The files have just been read for the first time.
    init(after now: MonotonicInstant) {
        nextReading = now.advanced(by: Self.interval)
        stallsAt = nextReading
    }

    /// Somebody uses the files.
    mutating func used(at now: MonotonicInstant) -> DueAction {
        guard now >= nextReading else { return .none }
        switch reading.begin() {
        case .read:
            nextReading = now.advanced(by: Self.interval)
            stallsAt = now.advanced(by: Self.limit)
            return .read
        case .none:
            guard now >= stallsAt else { return .none }
            switch reading.timedOut() {
            case .report: return .report
            case .none: return .none
            }
        }
    }

    /// The read in progress has ended.
    mutating func ended() -> SecretReading.EndedAction { reading.ended() }
}
