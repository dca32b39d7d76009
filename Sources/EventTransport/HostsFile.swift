import Glibc

// SAFETY: the path, the status and the buffer are lent for the calls.
/// The names of a hosts file (hosts(5)), read when they are first needed and again when the file has changed.
///
/// Confined to the loop's thread. A missing file has no names; lines that say nothing sensible are skipped.
struct HostsFile {
    /// Larger than any hosts file, even of an ad blocker; the rest is ignored.
    private static let byteLimit = 16 << 20

    private struct Version: Equatable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int
        let inode: UInt
    }

    private let path: String
    private var version: Version?
    private var names: [String: [IPAddress]] = [:]

    init(path: String) { self.path = path }

    /// The addresses of a lower-case name, in the order of the file; none if it is not there.
    mutating func addresses(of name: String) -> [IPAddress] {
        var status = stat()
        let found: Version? =
            unsafe stat(path, &status) == 0
            ? Version(
                seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: status.st_size,
                inode: status.st_ino)
            : nil
        if found != version {
            version = found
            let text = found == nil ? "" : read()
            // A file that cannot be read now, for want of a descriptor, is tried again with the next name.
            if text == nil { version = nil }
            names = Self.parse(text ?? "")
        }
        return names[name] ?? []
    }

    static func parse(_ text: String) -> [String: [IPAddress]] {
        var names: [String: [IPAddress]] = [:]
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 }
            guard let first = words.first, let address = IPAddress(literal: String(Substring(first))) else { continue }
            for word in words.dropFirst() {
                let name = Substring(word).lowercased()
                if names[name]?.contains(address) != true { names[name, default: []].append(address) }
            }
        }
        return names
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
