private import Glibc

/// Reads a small regular file that holds a secret or a key.
///
/// It never blocks on a pipe or a device, and never reads more than its limit. It does not look up the names of
/// owners, which a static executable cannot do. It follows symbolic links, because mounted secrets are links.
package enum SecretFile {
    /// Why a file could not be read.
    package enum Problem: Error, Equatable, Sendable {
        case missing
        case forbidden
        case notRegular
        case tooLarge
        /// Any other error, as an `errno`.
        case system(Int32)
    }

    /// The whole content.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes that it may have.
    /// - Returns: The bytes.
    /// - Throws: `Problem` if it cannot be read, or should not be.
    package static func read(_ path: String, atMost limit: Int) throws(Problem) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw .missing }
        // SAFETY: the path is lent for the call as a string without another zero byte.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw problem(errno) }
        defer { _ = close(descriptor) }
        var attributes = stat()
        // SAFETY: the call writes one `stat`, which this is.
        guard unsafe fstat(descriptor, &attributes) == 0 else { throw problem(errno) }
        guard attributes.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard attributes.st_size <= limit else { throw .tooLarge }
        return try content(of: descriptor, expecting: attributes.st_size, limit)
    }

    private static func content(
        of descriptor: Int32, expecting size: Int, _ limit: Int
    ) throws(Problem) -> [UInt8] {
        // One byte more than expected, so that the end is noticed; some files report a size of 0 and are not empty.
        var chunk = [UInt8](repeating: 0, count: max(size + 1, 4096))
        var content: [UInt8] = []
        while true {
            // SAFETY: the array is lent for the call, which writes no more bytes than it has.
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return content }
            if count < 0 {
                guard errno == EINTR else { throw problem(errno) }
            } else {
                content += chunk[..<count]
                guard content.count <= limit else { throw .tooLarge }
            }
        }
    }

    /// The system's text for an `errno`, such as "No space left on device".
    package static func words(_ code: Int32) -> String {
        // SAFETY: glibc keeps the text of each thread apart, and it is copied at once.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    static func problem(_ code: Int32) -> Problem {
        switch code {
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM: .forbidden
        default: .system(code)
        }
    }
}
