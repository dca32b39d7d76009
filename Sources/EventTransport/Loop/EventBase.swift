import CLibevent

// SAFETY: `pointer` comes from event_base_new_with_config and is freed in deinit, when neither the loop nor an event on it
// is left: each of them holds this object.
/// The libevent base of one loop, freed when the loop and every event on it are gone.
///
/// Confined to the loop's thread.
@safe
final class EventBase {
    let pointer: OpaquePointer

    /// Nil, with errno set, where the system has no memory or descriptor left.
    init?() {
        guard let configuration = unsafe event_config_new() else { return nil }
        defer { unsafe event_config_free(configuration) }
        // One thread a loop: no lock is ever needed, and other threads come in through the eventfd only.
        _ = unsafe event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let pointer = unsafe event_base_new_with_config(configuration) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe event_base_free(pointer) }
}
