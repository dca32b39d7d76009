import CLibevent
import Glibc
import Synchronization

// SAFETY: the functions for other threads touch only `owner`, `remote` and `ahead`, which are made for that. All other state
// is used on the loop's thread, which `preconditionCurrent` and the eventfd ensure.
/// One libevent base and the thread that runs it; also the executor of tasks and actors on that thread.
///
/// The loop belongs to the thread that made it until another thread calls `run()`. Only `stop()`, `execute(_:)`,
/// `enqueue(_:)`, `isCurrent`, `continuousNow` and `sleep(until:)` may be called from other threads.
@safe
@usableFromInline package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// The most that one read may bring, in bytes: a bulk transfer takes half of the CPU time that it takes in pieces
    /// of 64 KiB.
    static let readCapacity = 256 * 1024
    /// The number of work items run in one turn before sockets are checked again, so that tasks cannot starve them.
    private static let workPerTurn = 256

    let base: EventBase
    /// The memory into which every stream of this loop reads; `readBuffer` says when.
    let readMemory: UnsafeMutableBufferPointer<UInt8>
    /// Whether a delegate has the content of the read memory.
    var isReadMemoryLent = false
    var spareBuffers = BufferPool()
    /// Closed connections that still send or drop bytes in the background.
    var lingering: [ObjectIdentifier: LingeringClose] = [:]

    /// The bytes that connections have written in this turn.
    let sends = SendBatch()
    let deadlines = DeadlineQueue()

    private let owner = Atomic<UInt>(UInt(pthread_self()))
    private let remote: RemoteWork
    private var work: [LoopWork] = []
    private var workLeftInTurn = workPerTurn
    private var unread: [StreamConnection] = []
    private var workForNextTurn: [() -> Void] = []
    /// Closed connections whose callbacks may still be on the stack.
    private var closedInTurn: [StreamConnection] = []
    /// Called when `lingering` is empty.
    private var awaitingQuiet: [() -> Void] = []
    /// The time of this turn in nanoseconds, or `unsampled`; a plain number in memory of its own, which every module reads
    /// without a check.
    @usableFromInline let sample: UnsafeMutablePointer<Int64>
    @usableFromInline static let unsampled = Int64.min
    /// How far `advance(by:)` has moved this loop's clock on, in nanoseconds.
    let ahead = Atomic<Int64>(0)
    /// Increases with each turn, so that events of the same turn can be recognised.
    package var turn: UInt64 { turnNumber }
    // Visible in this module only, so that no access needs a check at run time.
    private var turnNumber: UInt64 = 0
    /// Whether callbacks are running, whose writes are sent at the end of the turn.
    private(set) var isInTurn = false
    private var isStopping = false
    /// Whether `run()` has returned, so that nothing continues in the background.
    private(set) var hasStopped = false
    private var wakeEvent: Event?
    private var workEvent: Event?
    private var turnEvent: Event?

    package init() throws(TransportError) {
        guard let base = EventBase() else {
            throw TransportError(system: Glibc.errno, "cannot make an event loop")
        }
        self.base = base
        remote = try RemoteWork()
        unsafe readMemory = .allocate(capacity: Self.readCapacity)
        unsafe sample = .allocate(capacity: 1)
        unsafe sample.initialize(to: Self.unsampled)

        // SAFETY: the three events are released in deinit, before the loop that they point to.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        wakeEvent = unsafe Event(
            on: self, descriptor: remote.descriptor, Event.read | Event.persist, loopWoken, context)
        workEvent = unsafe Event(on: self, Event.persist, loopHasWork, context)
        turnEvent = unsafe Event(on: self, 0, loopTurned, context)
        _ = wakeEvent?.add()
    }

    deinit {
        wakeEvent = nil
        workEvent = nil
        turnEvent = nil
        // SAFETY: both were allocated in init, and every borrower holds the loop.
        unsafe readMemory.deallocate()
        unsafe sample.deallocate()
    }

    /// Serves events on the calling thread until `stop()`; an earlier call of `stop()` counts.
    package func run() {
        adopt()
        remote.open()
        hasStopped = false
        while !isStopping { runTurn() }
        isStopping = false
        hasStopped = true
        awaitingQuiet = []
        for close in lingering.values { close.abandon() }
        finishWork()
    }

    /// Runs the work left by the last turn, such as the ends of cancelled tasks, and all work accepted from other
    /// threads.
    private func finishWork() {
        for _ in 0..<Self.workPerTurn {
            remote.take(into: &work)
            guard !work.isEmpty else { break }
            workLeftInTurn = work.count
            runWork()
        }
        remote.close(into: &work)
        workLeftInTurn = work.count
        runWork()
        workLeftInTurn = Self.workPerTurn
    }

    /// Waits until an event occurs, and serves all that have occurred.
    func runTurn() {
        isInTurn = true
        turnNumber &+= 1
        // SAFETY: the base lives as long as self, and only this thread touches it.
        unsafe _ = event_base_loop(base.pointer, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY)
        isInTurn = false
        sends.flush()
        releaseClosed()
        forgetNow()
        workLeftInTurn = Self.workPerTurn
    }

    /// Releases a closed connection after the turn, because its callbacks may still be running without a reference of
    /// their own.
    func releaseBehindTurn(_ connection: consuming StreamConnection) {
        if isInTurn { closedInTurn.append(connection) }
    }

    private func releaseClosed() {
        guard !closedInTurn.isEmpty else { return }
        // Taken out first, because releasing a connection releases its delegate too, whose deinit may run any code.
        let closed = closedInTurn
        closedInTurn = []
        withExtendedLifetime(closed) {}
    }

    /// Makes the calling thread the loop's own.
    func adopt() { owner.store(UInt(pthread_self()), ordering: .releasing) }

    /// Leaves the loop without a thread until another one adopts it.
    func disown() { owner.store(0, ordering: .releasing) }

    /// Ends `run()` after the current turn; any thread.
    package func stop() {
        execute { self.isStopping = true }
    }

    /// Whether the caller is on the loop's thread; any thread.
    package var isCurrent: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

    package func preconditionCurrent() {
        precondition(isCurrent, "this belongs to the thread of another event loop")
    }

    /// The current time, read at most once in each turn of the loop.
    @inlinable
    package var now: MonotonicInstant {
        // SAFETY: the memory is this loop's own from init to deinit.
        let sampled = unsafe sample.pointee
        return sampled == Self.unsampled ? readClock() : MonotonicInstant(nanoseconds: sampled)
    }

    @usableFromInline
    func readClock() -> MonotonicInstant {
        let instant = MonotonicInstant.now.advanced(byNanoseconds: ahead.load(ordering: .relaxed))
        // Before the loop runs, setup may take any time. SAFETY: as in `now`.
        if isInTurn { unsafe sample.pointee = instant.nanoseconds }
        return instant
    }

    // SAFETY: as in `now`.
    func forgetNow() { unsafe sample.pointee = Self.unsampled }

    // MARK: Work

    /// Runs `work` on the loop, after earlier work from the same thread; any thread.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        submit(.block(work))
    }

    /// Runs a job of the concurrency runtime on the loop; any thread.
    @usableFromInline package func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Runs `work` after the callback in progress; loop thread only, so it may hold confined values.
    func later(_ work: @escaping () -> Void) {
        let bound = LoopBound(work, loop: self)
        submit(.block { bound.value() })
    }

    /// Makes `connection` read in the next turn what its TLS layer already holds, for which no event would fire.
    func readNextTurn(_ connection: StreamConnection) {
        unread.append(connection)
        turnEvent?.add(after: 0)
    }

    /// Runs `work` in the next turn, after other connections were served; loop thread only.
    package func nextTurn(_ work: @escaping () -> Void) {
        workForNextTurn.append(work)
        turnEvent?.add(after: 0)
    }

    /// Calls `done` once every closed connection has sent its remaining bytes, and its peer has ended or timed out.
    ///
    /// Calls it at once if there are none, and never if the loop stops earlier. Loop thread only.
    package func whenNothingLingers(_ done: @escaping () -> Void) {
        awaitingQuiet.append(done)
        lingeringEnded()
    }

    /// One closed connection has ended, perhaps the last.
    func lingeringEnded() {
        guard lingering.isEmpty else { return }
        let waiting = awaitingQuiet
        awaitingQuiet = []
        for done in waiting { done() }
    }

    /// Releases an object on the loop, or at once if the loop has ended; any thread.
    func release(_ reference: LastReference) {
        guard !isCurrent, remote.append(.release(reference)) else { return reference.release() }
    }

    private func submit(_ item: LoopWork) {
        guard isCurrent else {
            remote.append(item)
            return
        }
        if work.isEmpty { workEvent?.activate() }
        work.append(item)
    }

    func woken() {
        let wasEmpty = work.isEmpty
        remote.take(into: &work)
        if wasEmpty { runWork() }
    }

    func runWork() {
        var done = 0
        while done < work.count, workLeftInTurn > 0 {
            let item = work[done]
            done += 1
            workLeftInTurn -= 1
            switch item {
            case .block(let block): block()
            case .release(let reference): reference.release()
            case .job(let job):
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        if done == work.count {
            work.removeAll(keepingCapacity: done <= Self.workPerTurn)
        } else {
            work.removeFirst(done)
            turnEvent?.add(after: 0)
        }
    }

    func turned() {
        let waiting = unread
        unread.removeAll()
        for connection in waiting { connection.readable() }
        let due = workForNextTurn
        workForNextTurn.removeAll()
        for work in due { work() }
        if !work.isEmpty { runWork() }
    }
}

// SAFETY: `context` is the loop whose stored property the event is, so it lives.
private func loopWoken(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().woken()
}

// SAFETY: `context` is the loop whose stored property the event is, so it lives.
private func loopHasWork(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().runWork()
}

// SAFETY: `context` is the loop whose stored property the event is, so it lives.
private func loopTurned(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().turned()
}
