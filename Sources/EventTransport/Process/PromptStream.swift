import Glibc
import Synchronization

/// Takes the lines of the log without waiting for their reader: drops a line that the destination does not take at once.
///
/// Any thread. The callers serve requests too, so a stalled reader of the log must not stop them.
package final class PromptStream: Sendable {
    /// Standard error.
    ///
    /// `StandardStream.reserve` makes it, because a process without core dumps may not open
    /// `/proc/self/fd/2` later.
    package static let error = PromptStream(StandardStream.error.rawValue)

    /// How a line is written without waiting.
    private enum Way: Equatable {
        /// A regular file has no reader.
        case file
        case socket
        /// A non-blocking description of the same pipe or terminal; other processes that share the given one see no change.
        case own(Int32)
        /// The destination cannot be opened again. Another thread or process may take the room between `poll` and
        /// `write`, so a write may block.
        case polled
    }

    private let descriptor: Int32
    private let way: Way
    /// Whether the last line was cut, so that the next one must not continue it.
    private let isInsideLine = Atomic(false)
    private static let lineEnd = UInt8(ascii: "\n")

    /// The longest line in bytes that the destination takes whole or not at all; nil if it takes every line.
    ///
    /// For a pipe this is PIPE_BUF (pipe(7)).
    package var lineLimit: Int? { way == .file ? nil : 4096 }

    /// - Parameter descriptor: The destination; it stays open.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var attributes = stat()
        // SAFETY: the call writes one `stat`, which this is.
        guard unsafe fstat(descriptor, &attributes) == 0 else {
            way = .polled
            return
        }
        switch attributes.st_mode & S_IFMT {
        case S_IFREG: way = .file
        case S_IFSOCK: way = .socket
        default:
            let flags = O_WRONLY | O_NONBLOCK | O_APPEND | O_NOCTTY | O_CLOEXEC
            // SAFETY: the path is lent for the call.
            let own = unsafe open("/proc/self/fd/\(descriptor)", flags)
            way = own < 0 ? .polled : .own(own)
        }
    }

    deinit {
        if case .own(let own) = way { close(own) }
    }

    /// Writes a line if the destination takes it now.
    ///
    /// - Parameter line: The line with its end; beyond `lineLimit`, the destination may cut it.
    package func offer(_ line: [UInt8]) {
        let wasInsideLine = isInsideLine.exchange(false, ordering: .relaxed)
        let bytes = wasInsideLine ? [Self.lineEnd] + line : line
        let written = write(bytes)
        if written == 0 ? wasInsideLine : written < bytes.count { isInsideLine.store(true, ordering: .relaxed) }
    }

    /// - Returns: the number of bytes that the destination took.
    private func write(_ bytes: [UInt8]) -> Int {
        // SAFETY: offset < count, so the length given ends with the array.
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count, let start = bytes.baseAddress {
                let written = unsafe write(start + offset, bytes.count - offset)
                if written > 0 { offset += written } else if written == 0 || errno != EINTR { break }
            }
            return offset
        }
    }

    private func write(_ start: UnsafeRawPointer, _ count: Int) -> Int {
        // SAFETY: the caller lends `count` bytes from `start` for the call.
        switch way {
        case .file: return unsafe Glibc.write(descriptor, start, count)
        case .socket: return unsafe send(descriptor, start, count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        case .own(let own): return unsafe Glibc.write(own, start, count)
        case .polled:
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // SAFETY: one entry, lent for the call.
            guard unsafe poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLOUT) != 0 else { return 0 }
            return unsafe Glibc.write(descriptor, start, count)
        }
    }
}
