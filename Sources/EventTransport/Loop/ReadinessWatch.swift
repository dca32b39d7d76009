// SAFETY: the event's context is the watch whose stored property the event is.
/// Calls a closure whenever a descriptor is readable or writable; for code that runs too rarely for an event of its
/// own.
///
/// Confined to the loop's thread. Armed by `start()`. Owns no descriptor; the descriptor's owner ends the watch
/// before closing it.
@safe
final class ReadinessWatch {
    private let ready: () -> Void
    private var event: Event?

    init(loop: EventLoop, descriptor: Int32, _ interest: Int16, _ ready: @escaping () -> Void) {
        self.ready = ready
        // SAFETY: the event is a stored property of this watch.
        event = unsafe Event(
            on: loop, descriptor: descriptor, interest | Event.persist, descriptorReady,
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// False if the kernel refuses to watch the descriptor.
    @discardableResult
    func start() -> Bool { event?.add() ?? false }

    func stop() { event?.remove() }

    /// Stops watching the descriptor for good, at once.
    ///
    /// Releasing the watch is not enough: while its closure runs, the watch lives on. libevent would then confuse its
    /// event with that of the next descriptor with the same number, and not register that one with the kernel.
    func end() { event = nil }

    fileprivate func becameReady() { ready() }
}

// SAFETY: `context` is the watch whose stored property the event is, so it lives.
private func descriptorReady(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ReadinessWatch>.fromOpaque(context).takeUnretainedValue().becameReady()
}
