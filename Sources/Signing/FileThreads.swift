private import Glibc
private import Locking

/// Runs calls that block for as long as a file system hangs, one after the other, on threads of its own.
///
/// A call that hangs delays the next ones for two seconds at most: then another thread takes them over. There is one
/// thread for each call that hangs, and two more while others run. Any thread may submit.
package final class FileThreads: Sendable {
    package typealias Call = @Sendable () -> Void

    private struct State {
        var waiting: [Call] = []
        /// The number of the thread that takes the waiting calls, or nil; threads with lower numbers were replaced.
        var taker: Int?
        var lastTaker = 0
        /// The number of calls that have been taken.
        var taken = 0
        var isGuarded = false
    }

    /// The threads of this process.
    package static let shared = FileThreads()

    private let state = Locked(State())
    private let timeout: Duration

    /// Threads on which each call delays the next ones by at least `timeout`, and at most twice that.
    package init(timeout: Duration = .seconds(1)) { self.timeout = timeout }

    /// Runs a call and returns its result, on the caller's executor.
    package func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: call()) }
        }
    }

    /// Runs a call and returns its result, or nil as soon as the task is cancelled; the call itself continues.
    package func runUnlessCancelled<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value? {
        let answer = FirstAnswer<Value>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.await(continuation)
                submit { answer.give(call()) }
            }
        } onCancel: {
            answer.give(nil)
        }
    }

    /// Runs a call as soon as those before it have ended or been left to their thread.
    package func submit(_ call: @escaping Call) {
        let stranded = state.withLock { state -> [Call] in
            state.waiting.append(call)
            if state.taker == nil { startTaker(&state) }
            if !state.isGuarded { state.isGuarded = Self.startThread { self.guardTaker() } }
            guard state.taker == nil else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        // No thread can start: late is better than never.
        for call in stranded { call() }
    }

    private func startTaker(_ state: inout State) {
        let number = state.lastTaker + 1
        guard Self.startThread({ self.takeCalls(number) }) else { return }
        state.lastTaker = number
        state.taker = number
    }

    private func takeCalls(_ number: Int) {
        while let call = nextCall(for: number) { call() }
    }

    private func nextCall(for number: Int) -> Call? {
        state.withLock { state in
            guard state.taker == number else { return nil }
            guard !state.waiting.isEmpty else {
                state.taker = nil
                return nil
            }
            state.taken += 1
            return state.waiting.removeFirst()
        }
    }

    /// Replaces a thread that is still at the same call while others wait.
    private func guardTaker() {
        var seen = -1
        repeat {
            sleep()
        } while state.withLock { state in
            guard state.taker != nil else {
                state.isGuarded = false
                return false
            }
            if state.taken == seen, !state.waiting.isEmpty { startTaker(&state) }
            seen = state.taken
            return true
        }
    }

    private func sleep() {
        let (seconds, attoseconds) = timeout.components
        // A signal that cuts the sleep short makes the thread be replaced early, which does no harm.
        _ = poll(nil, 0, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Starts a detached thread; false if none can start.
    static func startThread(_ body: @escaping Call) -> Bool {
        var thread = pthread_t()
        // SAFETY: the retained start is handed to the thread, which takes it over.
        let context = unsafe Unmanaged.passRetained(ThreadStart(body))
        guard unsafe pthread_create(&thread, nil, runThread, context.toOpaque()) == 0 else {
            // SAFETY: no thread took it over.
            unsafe context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// The first of two answers for one caller, whichever comes first.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, Never>)
        case answered
    }

    private let state = Locked(State.open)

    /// Answers at once if the task has been cancelled already.
    func await(_ continuation: CheckedContinuation<Value?, Never>) {
        let isCancelled = state.withLock { state in
            guard case .open = state else { return true }
            state = .awaited(continuation)
            return false
        }
        if isCancelled { continuation.resume(returning: nil) }
    }

    func give(_ value: Value?) {
        let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            defer { state = .answered }
            return if case .awaited(let continuation) = state { continuation } else { nil }
        }
        waiting?.resume(returning: value)
    }
}

private final class ThreadStart: Sendable {
    let body: FileThreads.Call

    init(_ body: @escaping FileThreads.Call) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // SAFETY: pthread_create was given exactly this retained object.
    if let context = unsafe context { unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().body() }
    return nil
}

/// Reports which file a thread waits for when a file system hangs and the thread can do nothing else.
///
/// Any thread may read. Reports come only between `watch` and `end`, on a thread of their own.
package final class FileWaits: Sendable {
    private struct Wait {
        let path: String
        let since: ContinuousClock.Instant
        var isTold = false
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var lastWait = 0
        /// The number of the current watch, or nil.
        var watch: Int?
        var lastWatch = 0
    }

    /// The waits of this process.
    package static let shared = FileWaits()
    /// The interval of the checks, in milliseconds.
    private static let interval: Int32 = 100

    private let state = Locked(State())
    private let timeout: Duration

    /// Waits that are reported once they have taken as long as `timeout`.
    package init(timeout: Duration = .seconds(2)) { self.timeout = timeout }

    /// Reports the path of each file whose read takes too long from now on, once; a second watch changes nothing.
    package func watch(_ tell: @escaping @Sendable (_ path: String) -> Void) {
        let number = state.withLock { state -> Int? in
            guard state.watch == nil else { return nil }
            state.lastWatch += 1
            state.watch = state.lastWatch
            return state.lastWatch
        }
        guard let number else { return }
        _ = FileThreads.startThread {
            while let late = self.late(for: number) {
                for path in late { tell(path) }
                // A signal that cuts the sleep short makes the watch check early, which does no harm.
                _ = poll(nil, 0, Self.interval)
            }
        }
    }

    /// Ends the reports.
    package func end() { state.withLock { $0.watch = nil } }

    /// Runs a call that reads or opens a file on this thread.
    package func reading<Value, Failure: Error>(
        _ path: String, _ call: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let number = state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = Wait(path: path, since: .now)
            return state.lastWait
        }
        defer { state.withLock { _ = $0.waits.removeValue(forKey: number) } }
        return try call()
    }

    /// The files that have just become late; nil if there is another watch or none.
    private func late(for number: Int) -> [String]? {
        state.withLock { state in
            guard state.watch == number else { return nil }
            let limit = ContinuousClock.now - timeout
            var late: [String] = []
            for (key, wait) in state.waits where !wait.isTold && wait.since <= limit {
                state.waits[key]?.isTold = true
                late.append(wait.path)
            }
            return late
        }
    }
}
