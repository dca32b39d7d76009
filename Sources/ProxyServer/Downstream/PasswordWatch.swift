import EventTransport
import Logging
import ProxyConfiguration

/// Looks at the password files of all listeners every second, and reads those that have changed, once for all workers.
///
/// Owned by the control; confined to the first worker's loop, which does not wait for the files.
final class PasswordWatch {
    private let loop: EventLoop
    private let logger: Logger
    private let changed: (_ path: String, PasswordDigests) -> Void
    private var files: [String: RereadFile<PasswordDigests>] = [:]
    /// Nil if no listener has a password file.
    ///
    /// Without it, the first request after a change would be judged by the old content.
    private var watch: FileWatch?

    /// - Parameters:
    ///   - loop: The first worker's loop.
    ///   - logger: Gets one line for each change.
    ///   - changed: Called with the new content of a file.
    init(loop: EventLoop, logger: Logger, changed: @escaping (_ path: String, PasswordDigests) -> Void) {
        self.loop = loop
        self.logger = logger
        self.changed = changed
    }

    /// Watches the files of these listeners from now on, and no others; those that it watches already go on.
    func watch(_ listeners: [ListenerConfiguration], _ read: ServedFiles) {
        let known = files
        files = [:]
        for path in listeners.compactMap(\.passwordFile) where files[path] == nil {
            files[path] = known[path] ?? file(path, read)
        }
        if files.isEmpty {
            watch = nil
        } else if watch == nil {
            watch = FileWatch(loop) { [unowned self] in
                for file in files.values { file.renew(at: loop.now) }
            }
        }
    }

    func stop() { watch = nil }

    /// The newest content of each file.
    var newest: [String: PasswordDigests] { files.mapValues(\.newest) }

    private func file(_ path: String, _ read: ServedFiles) -> RereadFile<PasswordDigests>? {
        // The workers have the same content already, so it is usable.
        guard let users = try? read.users(path), let first = try? ChangingContent(users, check: { _ in }) else {
            return nil
        }
        let reader = RereadFile.reader(of: [path], on: loop) { PasswordDigests.read(path) }
        return RereadFile(path, holding: first, at: loop.now, reader: reader) { [unowned self] event in
            switch event {
            case .replaced:
                logger.notice("users of a listener replaced", metadata: ["file": "\(path)"])
                if let file = files[path] { changed(path, file.newest) }
            case .kept(let reason):
                logger.warning(
                    "users of a listener not replaced, the old ones are kept", metadata: ["reason": "\(reason)"])
            }
        }
    }
}
