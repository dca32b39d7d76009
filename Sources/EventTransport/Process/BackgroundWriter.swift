import Glibc
private import Locking

/// Lines for a `BackgroundWriter`, which never change again.
package protocol WrittenLines: Sendable {
    /// The length in bytes.
    var byteCount: Int { get }
    /// Lends the bytes, each line with its end; any thread.
    func withBytes(_ body: (Span<UInt8>) -> Void)
}

/// Writes batches of bytes to a file or a standard stream on its own thread, so that no loop waits for a disk or a
/// reader.
///
/// `submit` may be called from any thread. Batches that do not fit while the reader stalls are refused, and the
/// caller counts them.
package final class BackgroundWriter: Sendable {
    /// Where the writer writes to.
    package enum Destination: Sendable {
        case standardOutput
        case standardError
        case file(String)
    }

    private struct Queue {
        var batches: [any WrittenLines] = []
        var byteCount = 0
        var isFinished = false
        /// Called with the result of each reopening, in the order of the requests.
        var reopenings: [Reopened] = []
        var lostLineCount: UInt64 = 0
        /// Called when lines are lost.
        var lost: (@Sendable () -> Void)?
    }

    /// Called on the writer's thread, with an error if the file could not be opened and the old one stays in use.
    package typealias Reopened = @Sendable (TransportError?) -> Void

    private let queue = Locked(Queue())
    private let destination: Destination
    private let descriptor: Int32
    private let wake = ThreadSignal()
    private let ended = ThreadSignal()
    private let capacity: Int
    private static let lineEnd = UInt8(ascii: "\n")

    /// Begins at once; `capacity` is how many bytes may wait for the destination.
    ///
    /// - Throws: The reason why the file cannot be opened for appending, or why no thread can start.
    package init(_ destination: Destination, capacity: Int = 4 << 20) throws(TransportError) {
        self.capacity = capacity
        self.destination = destination
        switch destination {
        case .standardOutput: descriptor = 1
        case .standardError: descriptor = 2
        case .file(let path): descriptor = try Self.open(path)
        }
        var thread = pthread_t()
        // SAFETY: the retained writer is handed to the thread, which takes it over.
        let context = unsafe Unmanaged.passRetained(self)
        let result = unsafe pthread_create(&thread, nil, writerThread, context.toOpaque())
        guard result == 0 else {
            // SAFETY: no thread took it over.
            unsafe context.release()
            throw TransportError(.system, "cannot start the thread that writes the access log", errno: result)
        }
        pthread_detach(thread)
    }

    /// Opens the file for appending without waiting for another process.
    ///
    /// A named pipe is opened for reading too. Otherwise the call would wait for a reader, and lines would be lost
    /// while a reader restarts; so they wait in the pipe, as far as it holds them.
    private static func open(_ path: String) throws(TransportError) -> Int32 {
        var attributes = stat()
        // SAFETY: the path is lent for the calls, and the first writes one `stat`, which this is.
        let isPipe = unsafe stat(path, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFIFO
        let mode = isPipe ? O_RDWR | O_NONBLOCK : O_WRONLY | O_APPEND | O_CREAT
        let descriptor = unsafe Glibc.open(path, mode | O_CLOEXEC, 0o640)
        guard descriptor < 0 else { return descriptor }
        let code = errno
        // SAFETY: strerror returns a text of the C library, copied at once.
        let reason = unsafe String(cString: strerror(code))
        throw TransportError(.system, "cannot open \(path) for appending: \(reason)", errno: code)
    }

    /// Whether a named pipe at this path has no reader, so that lines wait in it or are lost.
    package static func lacksReader(_ path: String) -> Bool {
        // SAFETY: the path is lent for the call, which does not block. Anything but a pipe, a socket or a device
        // opens.
        let probe = unsafe Glibc.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return errno == ENXIO
    }

    /// The file's path; nil for a standard stream, which cannot be opened again.
    package var path: String? {
        switch destination {
        case .file(let path): path
        case .standardOutput, .standardError: nil
        }
    }

    /// How many lines of accepted batches the destination did not take, for instance because its disk was full; any
    /// thread.
    package var lostLineCount: UInt64 { queue.withLock { $0.lostLineCount } }

    /// Sets what is called on the writer's thread whenever the destination does not take lines; nil ends that.
    package func whenLinesLost(_ lost: (@Sendable () -> Void)?) { queue.withLock { $0.lost = lost } }

    /// Hands over a batch of whole lines.
    ///
    /// - Returns: false if it was refused because too many bytes wait already.
    package func submit(_ batch: any WrittenLines) -> Bool {
        let accepted = queue.withLock { queue in
            guard !queue.isFinished, queue.byteCount + batch.byteCount <= capacity else { return false }
            queue.byteCount += batch.byteCount
            queue.batches.append(batch)
            return true
        }
        if accepted { wake.signal() }
        return accepted
    }

    /// Opens the file by its path again after the waiting batches, because the old file may have been renamed.
    ///
    /// Any thread.
    package func reopen(_ done: @escaping Reopened) {
        queue.withLock { $0.reopenings.append(done) }
        wake.signal()
    }

    /// Writes the waiting batches and ends the thread; stops waiting for a reader that takes nothing for `timeout`.
    package func finish(within timeout: Duration) {
        queue.withLock { $0.isFinished = true }
        wake.signal()
        ended.wait(atMost: timeout)
    }

    fileprivate func run() {
        // Whether a line was cut, so that the next one must not continue it.
        var isInsideLine = false
        var descriptor = descriptor
        while true {
            let (batches, reopenings, isFinished) = queue.withLock { queue in
                defer { (queue.batches, queue.reopenings) = ([], []) }
                return (queue.batches, queue.reopenings, queue.isFinished)
            }
            for batch in batches {
                var lost = 0
                batch.withBytes { lost = Self.write($0, to: descriptor, isInsideLine: &isInsideLine) }
                let linesLost = queue.withLock { queue in
                    queue.byteCount -= batch.byteCount
                    queue.lostLineCount += UInt64(lost)
                    return lost > 0 ? queue.lost : nil
                }
                linesLost?()
            }
            for done in reopenings {
                do throws(TransportError) {
                    guard let path else { continue }
                    let new = try Self.open(path)
                    close(descriptor)
                    (descriptor, isInsideLine) = (new, false)
                    done(nil)
                } catch {
                    done(error)
                }
            }
            if batches.isEmpty {
                if isFinished { break }
                wake.wait()
            }
        }
        ended.signal()
    }

    /// Writes a batch, after the end of the line before it if that was cut.
    ///
    /// - Returns: the number of lines that the destination did not take.
    private static func write(_ batch: Span<UInt8>, to descriptor: Int32, isInsideLine: inout Bool) -> Int {
        var written = 0
        if !isInsideLine || write([lineEnd].span, to: descriptor) == 1 {
            isInsideLine = false
            written = write(batch, to: descriptor)
        }
        if written > 0 { isInsideLine = batch[written - 1] != lineEnd }
        var lost = 0
        for index in written..<batch.count where batch[index] == lineEnd { lost += 1 }
        return lost
    }

    /// Writes all bytes; if the destination fails (a full disk), the rest of them is lost, and the proxy continues.
    ///
    /// - Returns: the number of bytes written.
    private static func write(_ batch: Span<UInt8>, to descriptor: Int32) -> Int {
        // SAFETY: offset < count, so the length given ends with the bytes.
        unsafe batch.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count, let start = bytes.baseAddress {
                let written = unsafe Glibc.write(descriptor, start + offset, bytes.count - offset)
                if written > 0 {
                    offset += written
                } else if written < 0, errno == EAGAIN {
                    // A standard stream that another process made non-blocking.
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    // SAFETY: one entry, lent for the call.
                    _ = unsafe poll(&entry, 1, 1000)
                } else if written == 0 || errno != EINTR {
                    break
                }
            }
            return offset
        }
    }
}

private func writerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // SAFETY: pthread_create was given exactly this retained object.
    if let context = unsafe context { unsafe Unmanaged<BackgroundWriter>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
