/// The file system for the configuration; tests pass their own.
package protocol FileReader: Sendable {
    /// The bytes of a file; refuses one with more than `limit` bytes.
    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]
    /// A text that is equal for two paths to one file, whatever links they go through.
    func identity(of path: String) -> String
    func isFolder(_ path: String) -> Bool
    /// Whether the process may replace a file.
    func mayReplace(_ path: String) -> Bool
}
