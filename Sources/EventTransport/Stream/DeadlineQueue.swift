// SAFETY: an entry holds no reference, but a connection takes its entry out before it is released, so that every entry's
// connection lives. The event's context is the queue whose stored property it is.
/// The deadlines of a loop's connections: a binary heap and one timer, where an event for each would take 150 bytes.
///
/// Confined to the loop's thread.
@safe
final class DeadlineQueue {
    private struct Entry {
        let instant: MonotonicInstant
        unowned(unsafe) let connection: StreamConnection
    }

    /// No entry is earlier than the one at half its index; each connection knows the index of its own.
    private var entries: [Entry] = []
    private var timer: Event?
    /// When the timer fires, or the distant future; not later than the first entry.
    private var armed = MonotonicInstant.distantFuture

    /// Wakes the connection at `instant`, which is not later than the one that it has asked for before, if any.
    func wake(_ connection: StreamConnection, at instant: MonotonicInstant) {
        if connection.deadlineIndex < 0 {
            connection.deadlineIndex = Int32(entries.count)
            entries.append(Entry(instant: instant, connection: connection))
        } else {
            entries[Int(connection.deadlineIndex)] = Entry(instant: instant, connection: connection)
        }
        rise(Int(connection.deadlineIndex))
        arm(connection.loop)
    }

    /// Forgets the connection; one without an entry is ignored.
    func remove(_ connection: StreamConnection) {
        let index = Int(connection.deadlineIndex)
        guard index >= 0 else { return }
        connection.deadlineIndex = -1
        let last = entries.removeLast()
        guard index < entries.count else { return }
        put(last, at: index)
        rise(index)
        sink(index)
    }

    /// Wakes every connection whose instant has come, each once.
    fileprivate func elapsed() {
        armed = .distantFuture
        guard let loop = unsafe entries.first?.connection.loop else { return }
        let now = loop.now
        for _ in 0..<entries.count {
            guard let first = entries.first, first.instant <= now else { break }
            let connection = unsafe first.connection
            remove(connection)
            connection.deadlineElapsed()
        }
        arm(loop)
    }

    private func arm(_ loop: EventLoop) {
        guard let first = entries.first?.instant, first < armed else { return }
        if timer == nil {
            timer = unsafe Event(on: loop, 0, deadlinesElapsed, Unmanaged.passUnretained(self).toOpaque())
        }
        armed = first
        timer?.add(after: first.nanoseconds(since: loop.now))
    }

    private func put(_ entry: Entry, at index: Int) {
        unsafe entry.connection.deadlineIndex = Int32(index)
        entries[index] = entry
    }

    /// Exchanges an entry with those above that are later.
    private func rise(_ start: Int) {
        var index = start
        let entry = entries[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.instant < entries[parent].instant else { break }
            put(entries[parent], at: index)
            index = parent
        }
        put(entry, at: index)
    }

    /// Exchanges an entry with those below that are earlier.
    private func sink(_ start: Int) {
        var index = start
        let entry = entries[index]
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].instant < entries[child].instant { child += 1 }
            guard entries[child].instant < entry.instant else { break }
            put(entries[child], at: index)
            index = child
        }
        put(entry, at: index)
    }
}

// SAFETY: `context` is the queue whose stored property the event is, so it lives.
private func deadlinesElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<DeadlineQueue>.fromOpaque(context).takeUnretainedValue().elapsed()
}
