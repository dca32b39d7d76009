import Glibc

/// The process's standard streams, for messages to a person at start and end.
///
/// A request never waits for them: the log has `PromptStream`.
package enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Opens `/dev/null` for streams that were closed when the process began, so that no other descriptor gets their
    /// numbers, and prepares standard error for the log.
    package static func reserve() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            // SAFETY: the path is a literal; the lowest free number is the missing one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
        _ = PromptStream.error
    }

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
