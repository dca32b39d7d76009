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
        /// The batches that the thread has taken and not finished.
        var taken: [any WrittenLines] = []
        var byteCount = 0
        var isFinished = false
        /// Whether the thread stops waiting for the destination.
        var isGivenUp = false
        /// Called with the result of each reopening, in the order of the requests.
        var reopenings: [Reopened] = []
        /// The reopenings that come after the taken batches.
        var dueReopenings: [Reopened] = []
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

    /// Opens the file by its path again, because the old file may have been renamed.
    ///
    /// Any thread. The waiting batches go to the old file. If it does not take them now, because it is a pipe whose reader
    /// stalls, they go to the new one; the line that the old one has in part is lost.
    package func reopen(_ done: @escaping Reopened) {
        queue.withLock { $0.reopenings.append(done) }
        wake.signal()
    }

    /// Writes the waiting batches and ends the thread; stops waiting for a reader that takes nothing for `timeout`.
    ///
    /// - Returns: the number of lines that were lost since the call. If the thread hangs in a write, this counts all lines
    ///   of that batch, although the reader may have some of them.
    @discardableResult
    package func finish(within timeout: Duration) -> UInt64 {
        let before = queue.withLock { queue in
            queue.isFinished = true
            return queue.lostLineCount
        }
        wake.signal()
        if !ended.wait(atMost: timeout) {
            queue.withLock { $0.isGivenUp = true }
            wake.signal()
            // A thread in a blocking write does not see this.
            if !ended.wait(atMost: .milliseconds(100)) { loseRest() }
        }
        return lostLineCount - before
    }

    /// Counts what the thread still holds as lost.
    private func loseRest() {
        queue.withLock { queue in
            for batch in queue.taken + queue.batches {
                batch.withBytes { queue.lostLineCount += UInt64(Self.lineCount($0, from: 0)) }
            }
            (queue.taken, queue.batches) = ([], [])
        }
    }

    /// What the thread writes to.
    private struct Target {
        var descriptor: Int32
        /// Whether a line was cut, so that the next one must not continue it.
        var isInsideLine = false
    }

    fileprivate func run() {
        var target = Target(descriptor: descriptor)
        while true {
            let (batches, isFinished) = queue.withLock { queue in
                (queue.taken, queue.batches) = (queue.batches, [])
                queue.dueReopenings += queue.reopenings
                queue.reopenings = []
                return (queue.taken, queue.isFinished)
            }
            for batch in batches {
                var lost = 0
                batch.withBytes { lost = write($0, to: &target) }
                let linesLost = queue.withLock { queue -> (@Sendable () -> Void)? in
                    queue.byteCount -= batch.byteCount
                    // Otherwise `loseRest` has counted its lines.
                    guard !queue.taken.isEmpty else { return nil }
                    queue.taken.removeFirst()
                    queue.lostLineCount += UInt64(lost)
                    return lost > 0 ? queue.lost : nil
                }
                linesLost?()
            }
            let reopenings = queue.withLock { queue in
                defer { queue.dueReopenings = [] }
                return queue.dueReopenings
            }
            _ = reopen(&target, for: reopenings)
            if batches.isEmpty {
                if isFinished { break }
                wake.wait()
            }
        }
        ended.signal()
    }

    /// Opens the file again for each request.
    ///
    /// - Returns: whether another file than before is open now.
    private func reopen(_ target: inout Target, for requests: [Reopened]) -> Bool {
        var isOther = false
        for done in requests {
            do throws(TransportError) {
                guard let path else { continue }
                let new = try Self.open(path)
                if !Self.isSame(new, target.descriptor) {
                    isOther = true
                    target.isInsideLine = false
                }
                close(target.descriptor)
                target.descriptor = new
                done(nil)
            } catch {
                done(error)
            }
        }
        return isOther
    }

    private static func isSame(_ first: Int32, _ second: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        // SAFETY: each call writes one `stat`, which these are.
        guard unsafe fstat(first, &one) == 0, unsafe fstat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// Writes a batch, after the end of the line before it if that was cut.
    ///
    /// - Returns: the number of lines that the destination did not take.
    private func write(_ batch: Span<UInt8>, to target: inout Target) -> Int {
        var (offset, lost) = (0, 0)
        while offset < batch.count {
            let result =
                target.isInsideLine && offset == 0
                ? write([Self.lineEnd].span, from: 0, to: target.descriptor)
                : write(batch, from: offset, to: target.descriptor)
            if target.isInsideLine, offset == 0 {
                if result.end == 1 { target.isInsideLine = false }
            } else if result.end > offset {
                offset = result.end
                target.isInsideLine = batch[offset - 1] != Self.lineEnd
            }
            switch result.stop {
            case .written: continue
            case .failed: return lost + Self.lineCount(batch, from: offset)
            case .interrupted(let requests):
                let wasInsideLine = target.isInsideLine
                guard reopen(&target, for: requests), wasInsideLine, offset > 0 else { continue }
                // The old pipe has the beginning of this line.
                while offset < batch.count, batch[offset] != Self.lineEnd { offset += 1 }
                offset += 1
                lost += 1
            }
        }
        return lost
    }

    /// Why a write ended.
    private enum Stop {
        /// All bytes are written.
        case written
        /// The destination failed, or the writer gives it up.
        case failed
        /// The file has to be opened again, and the destination takes nothing now.
        case interrupted([Reopened])
    }

    /// Writes the bytes from an offset on; if the destination fails (a full disk), the proxy continues.
    ///
    /// - Returns: the offset behind the last written byte.
    private func write(_ bytes: Span<UInt8>, from start: Int, to descriptor: Int32) -> (end: Int, stop: Stop) {
        // SAFETY: offset < count, so the length given ends with the bytes.
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = start
            while offset < bytes.count, let start = bytes.baseAddress {
                let written = unsafe Glibc.write(descriptor, start + offset, bytes.count - offset)
                if written > 0 {
                    offset += written
                } else if written < 0, errno == EAGAIN {
                    // A named pipe, or a standard stream that another process made non-blocking.
                    if let stop = interruption() { return (offset, stop) }
                    wake.wait(orUntilWritable: descriptor)
                } else if written == 0 || errno != EINTR {
                    return (offset, .failed)
                }
            }
            return (offset, .written)
        }
    }

    /// What ends the wait for the destination; nil to wait on.
    private func interruption() -> Stop? {
        queue.withLock { queue in
            if queue.isGivenUp { return .failed }
            let requests = queue.dueReopenings + queue.reopenings
            guard !requests.isEmpty else { return nil }
            (queue.dueReopenings, queue.reopenings) = ([], [])
            return .interrupted(requests)
        }
    }

    private static func lineCount(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var count = 0
        for index in start..<bytes.count where bytes[index] == lineEnd { count += 1 }
        return count
    }
}

private func writerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // SAFETY: pthread_create was given exactly this retained object.
    if let context = unsafe context { unsafe Unmanaged<BackgroundWriter>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
