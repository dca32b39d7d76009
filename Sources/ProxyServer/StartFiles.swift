import EventTransport
package import Logging
package import ProxyConfiguration
import Signing

/// The files that are read before serving begins, on the thread that starts.
///
/// A file system that hangs delays the start. A message names the file that the start waits for.
package enum StartFiles {
    /// Reports on standard error, as a plain sentence, which file the start waits for.
    package static func watch() {
        FileWaits.shared.watch { PlainText.writeError("attache: still waiting for the file \($0); \(advice)") }
    }

    /// Logs a warning for each file that the start waits for, from now until `endWatch`.
    package static func watch(_ logger: Logger) {
        FileWaits.shared.watch { path in
            logger.warning("still waiting for a file", metadata: ["file": "\(path)", "advice": "\(advice)"])
        }
    }

    /// Ends the watch: files read from now on delay nothing.
    package static func endWatch() { FileWaits.shared.end() }

    private static let advice = "look at the file system that holds it"
}

/// Reads files of the system, and reports one that hangs.
package struct WatchedFileReader: FileReader {
    private let reader = SystemFileReader()

    package init() {}

    package func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try FileWaits.shared.reading(path) { () throws(FileError) in try reader.read(path, limit: limit) }
    }

    package func identity(of path: String) -> String {
        FileWaits.shared.reading(path) { reader.identity(of: path) }
    }

    package func isFolder(_ path: String) -> Bool { FileWaits.shared.reading(path) { reader.isFolder(path) } }

    package func mayReplace(_ path: String) -> Bool { FileWaits.shared.reading(path) { reader.mayReplace(path) } }
}

/// The reason why the proxy could not start.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether another process uses the address, so that a later attempt may succeed.
    package let isAddressInUse: Bool

    private init(_ description: String, isAddressInUse: Bool) {
        self.description = description
        self.isAddressInUse = isAddressInUse
    }

    /// The error with its reason, if the address is in use.
    func because(_ reason: String) -> StartError {
        isAddressInUse ? StartError("\(description); \(reason)", isAddressInUse: true) : self
    }

    init(_ description: String) { self.init(description, isAddressInUse: false) }

    init(_ error: TransportError) {
        description = error.message
        isAddressInUse = error.kind == .addressInUse
    }

    /// Uses the message of `error`, which names the address, and prepends the setting's name.
    init(_ error: TransportError, listeningOn listener: ListenerConfiguration) {
        description = listener.place.map { "\($0): \(error.message)" } ?? error.message
        isAddressInUse = error.kind == .addressInUse
    }
}
