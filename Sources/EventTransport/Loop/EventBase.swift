import CLibevent

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
