// SAFETY: a buffer is either here or with one taker, never both, and its holder frees it or gives it back.
/// A few buffers of one size, kept so that blocked writes do not allocate.
///
/// Confined to the loop's thread; holds at most 256 KiB.
@safe
struct BufferPool: ~Copyable {
    static let bufferSize = 64 * 1024
    private static let capacity = 4

    private var spares: [UnsafeMutableRawPointer] = unsafe []

    deinit {
        for index in unsafe spares.indices { unsafe spares[index].deallocate() }
    }

    /// A buffer of `bufferSize` bytes; the caller gives it back or deallocates it.
    mutating func take() -> UnsafeMutableRawPointer {
        unsafe spares.popLast() ?? .allocate(byteCount: Self.bufferSize, alignment: 16)
    }

    mutating func give(_ buffer: UnsafeMutableRawPointer) {
        if unsafe spares.count < Self.capacity {
            unsafe spares.append(buffer)
        } else {
            unsafe buffer.deallocate()
        }
    }
}
