/// The configuration's way to the file system; a test hands in its own.
package protocol FileReader: Sendable {
    /// The bytes of a file; refuses one with more than `limit` bytes.
    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]
    /// Tells whether two paths lead to one file, whichever links they go through.
    func identity(of path: String) -> String
    func isFolder(_ path: String) -> Bool
    /// Whether another file may be put in the place of one.
    func mayReplace(_ path: String) -> Bool
}
