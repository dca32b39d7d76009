import Glibc

/// How the process handles signals.
package enum Signals {
    /// Makes a write to a closed connection fail with EPIPE instead of ending the process; OpenSSL writes without
    /// MSG_NOSIGNAL.
    ///
    /// The same holds for a file that has reached its size limit: a full log does not end the process.
    package static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Holds SIGHUP and SIGUSR1, which would end a process that does not catch them yet, until `release`.
    ///
    /// Called on the first thread before any other begins, because each thread inherits the held signals.
    package static func hold() { change(SIG_BLOCK, [SIGHUP, SIGUSR1]) }

    /// Lets the calling thread take held signals, now that they are caught.
    package static func release() { change(SIG_UNBLOCK, [SIGHUP, SIGUSR1]) }

    /// Does the same as `ignoreFailedWrites` for writes of the calling thread alone, in a process that belongs to other code.
    package static func blockFailedWrites() { change(SIG_BLOCK, [SIGPIPE]) }

    private static func change(_ how: Int32, _ signals: [Int32]) {
        // SAFETY: the set is this function's own, lent for the calls.
        unsafe withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { set in
            guard let set = set.baseAddress else { return }
            unsafe sigemptyset(set)
            for signal in signals { unsafe sigaddset(set, signal) }
            _ = unsafe pthread_sigmask(how, set, nil)
        }
    }
}

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

    /// - Returns: whether the signal came.
    func wait(atMost timeout: Duration) -> Bool {
        var entry = pollfd(fd: descriptors.read, events: Int16(POLLIN), revents: 0)
        let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
        // SAFETY: one entry, lent for the call.
        return unsafe poll(&entry, 1, Int32(clamping: milliseconds)) > 0
    }

    /// Waits for the signal, or until a descriptor can be written.
    func wait(orUntilWritable descriptor: Int32) {
        var entries = [
            pollfd(fd: descriptors.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
        ]
        // SAFETY: the two entries are lent for the call.
        guard unsafe poll(&entries, 2, -1) > 0, entries[0].revents != 0 else { return }
        wait()
    }
}

// SAFETY: the event's context is the source whose stored property the event is.
/// Calls a closure on the loop for every arrival of one signal, instead of the signal's default action.
///
/// Confined to the loop's thread; its release restores the former action. libevent serves signals on only one loop of
/// a process at a time.
@safe
package final class SignalSource {
    private let received: () -> Void
    private var event: Event?

    package init(_ signal: Int32, loop: EventLoop, _ received: @escaping () -> Void) throws(TransportError) {
        self.received = received
        // SAFETY: the event is a stored property of this source.
        event = unsafe Event(
            on: loop, descriptor: signal, Event.signal | Event.persist, signalArrived,
            Unmanaged.passUnretained(self).toOpaque())
        guard event?.add() == true else {
            throw TransportError(system: Glibc.errno, "cannot catch signal \(signal)")
        }
    }

    fileprivate func arrived() { received() }
}

// SAFETY: `context` is the source whose stored property the event is, so it lives.
private func signalArrived(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue().arrived()
}
