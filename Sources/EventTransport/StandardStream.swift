import Glibc

/// The process's standard streams, for what a person reads at start and end; never used while a request is served.
package enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes all of it before it returns; a stream that fails loses it, not the process.
    ///
    /// Any thread.
    package func write(_ bytes: [UInt8]) {
        // SAFETY: offset < count, so the length given ends with the array.
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            var offset = 0
            while offset < bytes.count {
                let written = unsafe Glibc.write(rawValue, start + offset, bytes.count - offset)
                if written > 0 {
                    offset += written
                } else if errno == EAGAIN {
                    var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                    // SAFETY: one entry, lent for the call.
                    guard unsafe poll(&entry, 1, 1000) > 0 else { return }
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
