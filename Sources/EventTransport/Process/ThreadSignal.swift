import Glibc

/// A signal that one thread waits for and any thread sends; signals sent before the wait are not lost.
final class ThreadSignal: Sendable {
    private let descriptors: (read: Int32, write: Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        // SAFETY: the array has room for the two descriptors that pipe writes.
        let result = unsafe pipe(&pair)
        precondition(result == 0, "no descriptors are left for a pipe at start-up")
        descriptors = (pair[0], pair[1])
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // If the pipe is full, a signal is pending already.
        _ = fcntl(descriptors.write, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptors.read)
        close(descriptors.write)
    }

    func signal() {
        var byte: UInt8 = 1
        // SAFETY: one byte is lent for the call.
        _ = unsafe write(descriptors.write, &byte, 1)
    }

    func wait() {
        var bytes = [UInt8](repeating: 0, count: 64)
        // SAFETY: the array has room for as many bytes as are asked for.
        while unsafe read(descriptors.read, &bytes, bytes.count) < 0, errno == EINTR {}
    }

    func wait(atMost timeout: Duration) {
        var entry = pollfd(fd: descriptors.read, events: Int16(POLLIN), revents: 0)
        let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
        // SAFETY: one entry, lent for the call.
        _ = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
    }
}
