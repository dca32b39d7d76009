// SAFETY: `buffer` is nil or begins with an initialized `Header`, followed by `capacity` bytes; 0 <= start <= end <=
// capacity, and bytes start..<end are initialized. No other type has the buffer.
/// The bytes that a socket has not taken yet, in order.
///
/// Confined to the loop's thread. An empty queue holds no memory and is one pointer, because every connection has one:
/// its buffer comes from the loop's pool and returns there.
@safe
struct WriteQueue: ~Copyable {
    private struct Header {
        /// The number of bytes that fit behind the header.
        let capacity: Int
        var start = 0
        var end = 0
    }

    private static let headerSize = MemoryLayout<Header>.stride

    private var buffer: UnsafeMutablePointer<Header>?

    init() { unsafe buffer = nil }

    deinit { unsafe buffer?.deallocate() }

    var count: Int {
        guard let buffer = unsafe buffer else { return 0 }
        return unsafe buffer.pointee.end - buffer.pointee.start
    }

    /// A buffer goes back with its last byte.
    var isEmpty: Bool { unsafe buffer == nil }

    /// Appends a copy of `bytes` without the first `skipped` ones.
    mutating func append(_ bytes: Span<UInt8>, skipping skipped: Int = 0, on loop: EventLoop) {
        let added = bytes.count - skipped
        guard added > 0 else { return }
        let buffer = unsafe reserve(added, on: loop)
        // SAFETY: `reserve` made room for `added` bytes behind `end`, and `bytes` is not inside it.
        unsafe bytes.withUnsafeBytes { source in
            unsafe (Self.bytes(of: buffer) + buffer.pointee.end).copyMemory(
                from: source.baseAddress.unsafelyUnwrapped + skipped, byteCount: added)
        }
        unsafe buffer.pointee.end += added
    }

    /// Lends all bytes, oldest first.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard let buffer = unsafe buffer else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        // SAFETY: bytes start..<end are initialized, and nothing moves them while `self` is borrowed.
        return unsafe body(
            UnsafeRawBufferPointer(start: Self.bytes(of: buffer) + buffer.pointee.start, count: count))
    }

    mutating func removeFirst(_ removed: Int, on loop: EventLoop) {
        guard let buffer = unsafe buffer else { return }
        unsafe buffer.pointee.start += removed
        if count == 0 { clear(on: loop) }
    }

    mutating func clear(on loop: EventLoop) {
        guard let emptied = unsafe buffer else { return }
        unsafe buffer = nil
        unsafe Self.free(emptied, on: loop)
    }

    private static func free(_ buffer: UnsafeMutablePointer<Header>, on loop: EventLoop) {
        if unsafe buffer.pointee.capacity == BufferPool.bufferSize - headerSize {
            unsafe loop.spareBuffers.give(UnsafeMutableRawPointer(buffer))
        } else {
            unsafe buffer.deallocate()
        }
    }

    private static func bytes(of buffer: UnsafeMutablePointer<Header>) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(buffer) + headerSize
    }

    /// Makes room for `added` bytes behind those that are queued.
    private mutating func reserve(_ added: Int, on loop: EventLoop) -> UnsafeMutablePointer<Header> {
        guard let old = unsafe buffer else {
            let made = unsafe Self.make(for: added, atLeast: 0, on: loop)
            unsafe buffer = made
            return unsafe made
        }
        let (kept, capacity) = unsafe (count, old.pointee.capacity)
        if unsafe added <= capacity - old.pointee.end { return unsafe old }
        let source = unsafe Self.bytes(of: old) + old.pointee.start
        if kept + added <= capacity / 2 {
            unsafe Self.bytes(of: old).copyMemory(from: source, byteCount: kept)
            unsafe (old.pointee.start, old.pointee.end) = (0, kept)
            return unsafe old
        }
        let grown = unsafe Self.make(for: kept + added, atLeast: 2 * capacity, on: loop)
        unsafe Self.bytes(of: grown).copyMemory(from: source, byteCount: kept)
        unsafe grown.pointee.end = kept
        unsafe buffer = grown
        unsafe Self.free(old, on: loop)
        return unsafe grown
    }

    /// A buffer from the pool if `needed` bytes fit into one, else one for at least `least` bytes.
    private static func make(
        for needed: Int, atLeast least: Int, on loop: EventLoop
    ) -> UnsafeMutablePointer<Header> {
        let isSmall = needed <= BufferPool.bufferSize - headerSize
        let capacity = isSmall ? BufferPool.bufferSize - headerSize : max(needed, least)
        let memory =
            unsafe isSmall
            ? loop.spareBuffers.take() : .allocate(byteCount: headerSize + capacity, alignment: 16)
        // SAFETY: the memory is aligned to 16 bytes and has room for the header.
        let buffer = unsafe memory.bindMemory(to: Header.self, capacity: 1)
        unsafe buffer.initialize(to: Header(capacity: capacity))
        return unsafe buffer
    }
}
