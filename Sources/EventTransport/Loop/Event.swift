import CLibevent

// SAFETY: `event` comes from event_new, is freed in deinit and nowhere else, and never leaves this type. Its base lives
// longer, as the owner promises.
/// One libevent event: a descriptor, a signal, a timeout or only an activation, freed with its owner.
///
/// Confined to the loop's thread. Its owner frees it while it holds the loop, so that a connection needs no reference to
/// the base for each of its events. Its context must outlive it; every owner passes itself, unretained, and holds the
/// event as a stored property.
@safe
struct BareEvent: ~Copyable {
    typealias Callback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

    private let event: OpaquePointer

    init(
        on loop: EventLoop, descriptor: Int32 = -1, _ interest: Int16, _ callback: Callback,
        _ context: UnsafeMutableRawPointer
    ) {
        guard let event = unsafe event_new(loop.base.pointer, descriptor, interest, callback, context) else {
            preconditionFailure("no memory is left for an event")
        }
        unsafe self.event = event
    }

    deinit {
        // SAFETY: the event came from event_new and nobody else frees it; libevent takes it out of the queues of its base.
        unsafe event_free(event)
    }

    /// Arms the event without a timeout; false if the kernel refuses to watch the descriptor.
    @discardableResult
    func add() -> Bool {
        // SAFETY: `event` lives as long as self.
        unsafe event_add(event, nil) == 0
    }

    /// Arms the event to fire after a delay; a negative delay fires in the next turn of the loop.
    ///
    /// - Parameter delay: The delay in nanoseconds.
    func add(after delay: Int64) {
        // SAFETY: `event` lives as long as self.
        unsafe _ = attache_event_add(event, min(max(0, delay), Self.longestDelay))
    }

    func remove() {
        // SAFETY: `event` lives as long as self.
        unsafe _ = event_del(event)
    }

    /// Runs the callback later in this turn of the loop, armed or not.
    func activate() {
        // SAFETY: `event` lives as long as self.
        unsafe event_active(event, Int32(Event.read), 0)
    }

    /// A hundred years: a longer delay would overflow and mean the same.
    private static let longestDelay: Int64 = 3_153_600_000_000_000_000
}

/// An event that may be released after its loop.
///
/// Confined to the loop's thread.
struct Event: ~Copyable {
    static let read = Int16(EV_READ)
    static let write = Int16(EV_WRITE)
    static let persist = Int16(EV_PERSIST)
    static let signal = Int16(EV_SIGNAL)

    // Before the base, so that it is freed first.
    private let event: BareEvent
    /// The base, not the loop, because the loop itself holds events.
    private let base: EventBase

    init(
        on loop: EventLoop, descriptor: Int32 = -1, _ interest: Int16, _ callback: BareEvent.Callback,
        _ context: UnsafeMutableRawPointer
    ) {
        // SAFETY: the caller's promise about the context is passed on.
        unsafe event = BareEvent(on: loop, descriptor: descriptor, interest, callback, context)
        base = loop.base
    }

    @discardableResult
    func add() -> Bool { event.add() }

    func add(after delay: Int64) { event.add(after: delay) }

    func remove() { event.remove() }

    func activate() { event.activate() }
}

// SAFETY: `pointer` comes from event_base_new_with_config and is freed in deinit, when the loop and all events on it
// are gone: each of them holds this object.
/// The libevent base of one loop, freed when the loop and every event on it are gone.
///
/// Confined to the loop's thread.
@safe
final class EventBase {
    let pointer: OpaquePointer

    /// Makes a base; nil, with errno set, if the system has no memory or descriptor left.
    init?() {
        guard let configuration = unsafe event_config_new() else { return nil }
        defer { unsafe event_config_free(configuration) }
        // One thread for each loop: no lock is needed, and other threads reach the loop only through the eventfd.
        _ = unsafe event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let pointer = unsafe event_base_new_with_config(configuration) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe event_base_free(pointer) }
}
