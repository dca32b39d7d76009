import Glibc

// SAFETY: the path, the status and the buffer are lent for the calls.
/// A text file of the system that is read when it is first needed and again when it has changed.
///
/// Confined to the loop's thread. A missing file reads as an empty one.
struct ChangingFile {
    /// The most bytes that are read, more than any hosts file has, even of an ad blocker; the rest is ignored.
    private static let byteLimit = 16 << 20

    let path: String
    /// Nil if the file is to be read.
    private var version: FileVersion?

    init(path: String) { self.path = path }

    /// The new text; nil if it has not changed since the last read.
    mutating func newText() -> String? {
        let found = FileVersion(of: path)
        guard found != version else { return nil }
        version = found
        if found == .missing { return "" }
        if let text = read() { return text }
        // A file that cannot be read now because descriptors are short is tried again next time.
        version = nil
        return ""
    }

    private func read() -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while text.count < Self.byteLimit {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
