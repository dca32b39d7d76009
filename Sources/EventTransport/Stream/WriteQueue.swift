// SAFETY: 0 <= start <= end <= capacity, the size of `buffer`; bytes start..<end are initialized. No other type has
// the buffer.
/// The bytes that a socket has not taken yet, in order.
///
/// Confined to the loop's thread. An empty queue holds no memory: its buffer comes from the loop's pool and returns
/// there.
@safe
struct WriteQueue: ~Copyable {
    private var buffer: UnsafeMutableRawPointer?
    private var capacity = 0
    private var start = 0
    private var end = 0

    init() { unsafe buffer = nil }

    deinit { unsafe buffer?.deallocate() }

    var count: Int { end - start }

    var isEmpty: Bool { start == end }

    /// Appends a copy of `bytes` without the first `skipped` ones.
    mutating func append(_ bytes: Span<UInt8>, skipping skipped: Int = 0, on loop: EventLoop) {
        let added = bytes.count - skipped
        guard added > 0 else { return }
        let buffer = unsafe reserve(added, on: loop)
        // SAFETY: `reserve` made room for `added` bytes behind `end`, and `bytes` is not inside it.
        unsafe bytes.withUnsafeBytes { source in
            unsafe (buffer + end).copyMemory(from: source.baseAddress.unsafelyUnwrapped + skipped, byteCount: added)
        }
        end += added
    }

    /// Lends all bytes, oldest first.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // SAFETY: bytes start..<end are initialized, and nothing moves them while `self` is borrowed.
        unsafe body(UnsafeRawBufferPointer(start: buffer.map { unsafe UnsafeRawPointer($0 + start) }, count: count))
    }

    mutating func removeFirst(_ removed: Int, on loop: EventLoop) {
        start += removed
        if isEmpty { clear(on: loop) }
    }

    mutating func clear(on loop: EventLoop) {
        guard let emptied = unsafe buffer else { return }
        if capacity == BufferPool.bufferSize {
            unsafe loop.spareBuffers.give(emptied)
        } else {
            unsafe emptied.deallocate()
        }
        unsafe buffer = nil
        (capacity, start, end) = (0, 0, 0)
    }

    private mutating func reserve(_ added: Int, on loop: EventLoop) -> UnsafeMutableRawPointer {
        if let buffer = unsafe buffer, added <= capacity - end { return unsafe buffer }
        let needed = count + added
        let old = unsafe buffer
        let roomy = unsafe old != nil && needed <= capacity / 2
        if let old = unsafe old, roomy {
            unsafe old.copyMemory(from: old + start, byteCount: count)
            (start, end) = (0, count)
            return unsafe old
        }
        let (grown, grownCapacity): (UnsafeMutableRawPointer, Int)
        if needed <= BufferPool.bufferSize {
            unsafe (grown, grownCapacity) = (loop.spareBuffers.take(), BufferPool.bufferSize)
        } else {
            grownCapacity = max(needed, 2 * capacity)
            unsafe grown = .allocate(byteCount: grownCapacity, alignment: 16)
        }
        let kept = count
        if let old = unsafe old {
            unsafe grown.copyMemory(from: old + start, byteCount: kept)
        }
        clear(on: loop)
        unsafe buffer = grown
        (capacity, start, end) = (grownCapacity, 0, kept)
        return unsafe grown
    }
}
