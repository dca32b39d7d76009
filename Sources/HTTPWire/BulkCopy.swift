extension [UInt8] {
    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: the buffer is lent for the call only, and `append` copies from it before the call ends.
        unsafe bytes.withUnsafeBufferPointer { buffer in unsafe append(contentsOf: buffer) }
    }

    /// Appends a copy of one range of the bytes.
    package mutating func append(copying bytes: Span<UInt8>, _ range: ByteRange) {
        append(copying: bytes.extracting(range.lowerBound..<range.upperBound))
    }
}

// SAFETY: `storage` is this value's own, from `grow` to deinit; its first `count` elements have been written.
/// Bytes on their way out, in memory that is kept and used again: an array without the checks of one that may be shared.
@safe
package struct OutputBuffer: ~Copyable {
    private var storage = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    package private(set) var count = 0

    private static let leastCapacity = 512

    package init() {}

    deinit {
        // SAFETY: the memory is this value's own, and nobody else can have kept a reference.
        unsafe storage.deallocate()
    }

    package var isEmpty: Bool { count == 0 }

    /// Forgets the bytes and keeps the memory, unless there is more of it than `limit`.
    package mutating func removeAll(keepingAtMost limit: Int = .max) {
        count = 0
        guard unsafe storage.count > limit else { return }
        // SAFETY: as in deinit; the empty buffer takes its place.
        unsafe storage.deallocate()
        unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    package mutating func append(_ byte: UInt8) {
        if unsafe count == storage.count { grow(by: 1) }
        // SAFETY: count < storage.count, as there was room or room was made.
        unsafe storage[count] = byte
        count += 1
    }

    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: the source is lent for the call only.
        unsafe bytes.withUnsafeBufferPointer { source in unsafe append(source) }
    }

    /// Appends a copy of one range of the bytes.
    package mutating func append(copying bytes: Span<UInt8>, _ range: ByteRange) {
        append(copying: bytes.extracting(range.lowerBound..<range.upperBound))
    }

    /// Appends a copy of all bytes of another buffer.
    package mutating func append(copying other: borrowing OutputBuffer) {
        // SAFETY: the first `count` bytes have been written, and the other buffer is borrowed until the call ends.
        unsafe append(UnsafeBufferPointer(rebasing: other.storage[..<other.count]))
    }

    /// Appends the text's UTF-8 bytes.
    package mutating func append(text: StaticString) {
        // SAFETY: a static string's bytes live as long as the process.
        text.withUTF8Buffer { source in unsafe append(source) }
    }

    /// Lends the bytes.
    package borrowing func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        // SAFETY: the first `count` bytes have been written, and the buffer is borrowed until the call ends.
        unsafe body(UnsafeBufferPointer(rebasing: storage[..<count]).span)
    }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        if unsafe storage.count - count < source.count { grow(by: source.count) }
        guard let start = unsafe storage.baseAddress else { return }
        // SAFETY: count + source.count <= storage.count, and nobody else can hold a reference to our memory.
        unsafe (start + count).initialize(from: from, count: source.count)
        count += source.count
    }

    private mutating func grow(by size: Int) {
        let capacity = unsafe max(Self.leastCapacity, 2 * storage.count, count + size)
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        // SAFETY: the larger buffer has room for the bytes, which are plain.
        _ = unsafe larger.update(fromContentsOf: storage[..<count])
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}

// SAFETY: `storage` is this value's own from init to deinit, all of it has been written, and every index is checked.
/// A fixed number of plain values that may be overwritten one by one, without the bookkeeping of a variable in a class.
@safe
struct Slots<Element: BitwiseCopyable>: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<Element>

    init(repeating element: Element, count: Int) {
        unsafe storage = .allocate(capacity: count)
        // SAFETY: the memory is new, has room for `count` elements, and stays this value's own until deinit.
        unsafe storage.initialize(repeating: element)
    }

    deinit {
        // SAFETY: as in init; plain values need no deinitialization.
        unsafe storage.deallocate()
    }

    subscript(_ index: Int) -> Element {
        get {
            precondition(unsafe storage.indices.contains(index), "a slot is asked for that does not exist")
            // SAFETY: the index was checked.
            return unsafe storage[index]
        }
        nonmutating set {
            precondition(unsafe storage.indices.contains(index), "a slot is filled that does not exist")
            // SAFETY: the index was checked; nobody is lent a reference to a slot.
            unsafe storage[index] = newValue
        }
    }
}
