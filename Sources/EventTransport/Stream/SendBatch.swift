// SAFETY: `arena` and `entries` are this object's own from init to deinit; bytes 0..<used and entries 0..<entryCount
// are initialized. A connection leaves its entry before it is closed or released, so `connection` never dangles.
/// The bytes that the callbacks of one turn have written; after the last callback, one send for each connection sends
/// them.
///
/// The code that serves requests and the kernel's code that sends evict each other from the processor's cache, and a
/// send may give the processor to the peer that it wakes. So it is cheaper to serve all events of a turn first.
/// Confined to the loop's thread; never calls a delegate.
@safe
final class SendBatch {
    @safe
    private struct Entry {
        /// Nil once the connection has left.
        var connection: Unmanaged<StreamConnection>?
        var start: Int
        var count: Int
    }

    /// The most bytes of one connection in the batch; copying more costs more than another send.
    static let largestSend = 16_384
    /// The size of the memory; a turn that writes more is sent in parts.
    private static let capacity = 128 * 1024
    private static let entryLimit = 1024

    private let arena: UnsafeMutableRawPointer
    private let entries: UnsafeMutablePointer<Entry>
    private var used = 0
    private var entryCount = 0

    init() {
        unsafe arena = .allocate(byteCount: Self.capacity, alignment: 64)
        unsafe entries = .allocate(capacity: Self.entryLimit)
    }

    deinit {
        // Entries are plain values, so that they need no deinitialization.
        unsafe arena.deallocate()
        unsafe entries.deallocate()
    }

    /// Whether anything waits to be sent.
    var isEmpty: Bool { entryCount == 0 }

    /// Sends everything if one more `add` might not fit.
    func makeRoom() {
        if used > Self.capacity - Self.largestSend || entryCount == Self.entryLimit { flush() }
    }

    /// Adds bytes after those that the connection has in the batch; the caller has made room.
    ///
    /// - Returns: false if they are too many; then nothing was added.
    func add(_ bytes: Span<UInt8>, of connection: StreamConnection) -> Bool {
        let before = count(of: connection)
        guard before + bytes.count <= Self.largestSend else { return false }
        precondition(used + Self.largestSend <= Self.capacity, "bytes are added to a batch that has no room")
        let number = Int(connection.batchEntry)
        let entry = unsafe number >= 0 ? entries + number : newEntry(connection)
        // Usually no other connection has written since, and the earlier bytes need not move.
        if unsafe entry.pointee.start + entry.pointee.count != used {
            unsafe (arena + used).copyMemory(from: arena + entry.pointee.start, byteCount: entry.pointee.count)
            unsafe entry.pointee.start = used
            unsafe used += entry.pointee.count
        }
        // SAFETY: there is room for the bytes behind `used`, and they are not inside the arena.
        unsafe bytes.withUnsafeBytes { source in
            guard let first = source.baseAddress else { return }
            unsafe (arena + used).copyMemory(from: first, byteCount: source.count)
        }
        used += bytes.count
        unsafe entry.pointee.count += bytes.count
        return true
    }

    private func newEntry(_ connection: StreamConnection) -> UnsafeMutablePointer<Entry> {
        let entry = unsafe entries + entryCount
        unsafe entry.initialize(to: Entry(connection: .passUnretained(connection), start: used, count: 0))
        connection.batchEntry = Int32(entryCount)
        entryCount += 1
        return unsafe entry
    }

    /// How many bytes of a connection are in the batch.
    func count(of connection: StreamConnection) -> Int {
        let number = Int(connection.batchEntry)
        return unsafe number < 0 ? 0 : entries[number].count
    }

    /// Lends the bytes of a connection and removes them from the batch.
    func take<Result>(of connection: StreamConnection, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let number = Int(connection.batchEntry)
        guard number >= 0 else {
            return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let entry = unsafe entries[number]
        remove(connection)
        // SAFETY: nothing is added before `body` returns, because it only sends or copies the bytes.
        return unsafe body(UnsafeRawBufferPointer(start: arena + entry.start, count: entry.count))
    }

    /// Drops the bytes of a connection.
    func remove(_ connection: StreamConnection) {
        let number = Int(connection.batchEntry)
        guard number >= 0 else { return }
        unsafe entries[number].connection = nil
        connection.batchEntry = -1
    }

    /// Sends everything, in the order in which the connections first wrote.
    func flush() {
        var number = 0
        while number < entryCount {
            // SAFETY: the entry is nil once a connection closes, and sending releases no connection.
            unsafe entries[number].connection?._withUnsafeGuaranteedRef { $0.send(from: self) }
            number += 1
        }
        entryCount = 0
        used = 0
    }
}
