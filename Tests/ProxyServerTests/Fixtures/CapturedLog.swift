import Logging
import Support

/// Everything the proxy under test logs, as text.
struct CapturedLog: LogHandler {
    private let lines: Monitor<[String]>
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .trace

    init() {
        lines = Monitor([])
    }

    var text: String { lines.access { $0.joined(separator: "\n") } }

    /// Waits until something was logged that holds this text.
    func wait(for text: String) throws {
        try lines.wait("a log line holds \"\(text)\"") { $0.contains { $0.contains(text) } ? () : nil }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, mine in mine }
        let error = event.error.map { " error=\($0)" } ?? ""
        lines.access { $0.append("\(event.level) \(event.message) \(all)\(error)") }
    }
}
