import ProxyConfiguration

/// A file system in which one path holds a given text; every other path is the real one.
struct TextFileReader: FileReader {
    static let path = "attache.yaml"

    let text: String

    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        path == Self.path ? Array(text.utf8) : try SystemFileReader().read(path, limit: limit)
    }

    func identity(of path: String) -> String { SystemFileReader().identity(of: path) }

    func isFolder(_ path: String) -> Bool {
        path != Self.path && SystemFileReader().isFolder(path)
    }

    func mayReplace(_ path: String) -> Bool { SystemFileReader().mayReplace(path) }
}
