/// The tasks that wait for each entry's next instant.
struct EntryTimers {
    private var timers: [ObjectIdentifier: (wakeAt: ContinuousClock.Instant, task: Task<Void, Never>)] = [:]

    /// Sets an entry's timer; `sleep` makes the task that waits for it.
    mutating func set(
        _ entry: StoredEntry, to instant: ContinuousClock.Instant?,
        _ sleep: (ContinuousClock.Instant) -> Task<Void, Never>
    ) {
        guard timers[entry.id]?.wakeAt != instant else { return }
        clear(entry)
        if let instant { timers[entry.id] = (instant, sleep(instant)) }
    }

    /// Removes an entry's timer, for good or because it has fired.
    mutating func clear(_ entry: StoredEntry) { timers.removeValue(forKey: entry.id)?.task.cancel() }
}
