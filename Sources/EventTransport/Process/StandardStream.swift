import Glibc

/// The process's standard streams, for messages to a person at start and end; a request never waits for them.
package enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Opens `/dev/null` for streams that were closed when the process began, so that no other descriptor gets their
    /// numbers.
    package static func reserve() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            // SAFETY: the path is a literal; the lowest free number is the missing one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Writes a line if the stream takes it now, and drops it otherwise, because the caller serves requests too.
    ///
    /// Any thread.
    ///
    /// - Parameter line: The line; bytes beyond the 4096 that a pipe takes at once are cut off.
    package func offer(_ line: [UInt8]) {
        var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        // SAFETY: one entry, lent for the call.
        guard unsafe poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLOUT) != 0 else { return }
        write(line.count <= Self.pipeCapacity ? line : line.prefix(Self.pipeCapacity - 1) + [UInt8(ascii: "\n")])
    }

    /// PIPE_BUF: a ready pipe takes this many bytes without blocking (pipe(7)).
    private static let pipeCapacity = 4096

    /// Writes all bytes before it returns; if the stream fails, the bytes are lost, and the process continues.
    ///
    /// Any thread.
    ///
    /// - Returns: Why bytes were lost; nil if none were.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> TransportError? {
        // SAFETY: offset < count, so the length given ends with the array.
        let number = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return 0 }
            var offset = 0
            while offset < bytes.count {
                let written = unsafe Glibc.write(rawValue, start + offset, bytes.count - offset)
                if written > 0 {
                    offset += written
                } else if errno == EAGAIN {
                    var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                    // SAFETY: one entry, lent for the call.
                    guard unsafe poll(&entry, 1, 1000) > 0 else { return EAGAIN }
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        let name = self == .output ? "output" : "error"
        return number == 0 ? nil : TransportError(system: number, "cannot write to standard \(name)")
    }
}
