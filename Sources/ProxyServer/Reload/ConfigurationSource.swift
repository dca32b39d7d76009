import EventTransport
package import ProxyConfiguration
import Signing

/// Where a running proxy gets its configuration from when it loads it again.
package struct ConfigurationSource: Sendable {
    /// The path of the file.
    let file: String
    /// The version of the file before the load at the start.
    let version: FileVersion
    /// Reads and checks the whole configuration; called on a thread that may wait for a file system.
    let load: @Sendable () -> Result<Configuration, ConfigurationError>

    /// Makes a source before the configuration is loaded for the start, so that no later change is missed.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - load: Reads and checks the whole configuration.
    package init(file: String, load: @escaping @Sendable () -> Result<Configuration, ConfigurationError>) {
        self.file = file
        self.load = load
        version = FileWaits.shared.reading(file) { FileVersion(of: file) }
    }
}
