private import CByteScan

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

// SAFETY: `storage` is this value's own from `grow` to deinit and has room for `capacity` bytes; the first `filled` have been
// written, and filled <= capacity. So another thread may take the value over.
/// Bytes to be sent, in memory that is used again: an array without the checks for sharing.
@safe
@usableFromInline package struct OutputBuffer: ~Copyable, @unchecked Sendable {
    @usableFromInline var storage: UnsafeMutablePointer<UInt8>?
    @usableFromInline var capacity = 0
    @usableFromInline var filled = 0

    private static let leastCapacity = 512

    @inlinable package init() { unsafe storage = nil }

    /// An empty buffer with room for so many bytes.
    package init(capacity: Int) {
        self.init()
        grow(by: capacity)
    }

    /// A buffer that holds a copy of the bytes.
    package init(_ bytes: [UInt8]) {
        self.init()
        append(copying: bytes.span)
    }

    @inlinable deinit {
        // SAFETY: the memory is this value's own, and no reference to it can exist elsewhere.
        unsafe storage?.deallocate()
    }

    @inlinable package var count: Int { filled }

    @inlinable package var isEmpty: Bool { filled == 0 }

    /// Removes the bytes behind the first `count`.
    @inlinable package mutating func removeAll(behind count: Int) {
        precondition(0 <= count && count <= filled, "a buffer is cut behind its end")
        filled = count
    }

    /// Removes the bytes and keeps the memory.
    @inlinable package mutating func removeAll() { filled = 0 }

    /// Removes the bytes and keeps the memory, unless it is larger than `limit`.
    @inlinable package mutating func removeAll(keepingAtMost limit: Int) {
        filled = 0
        if capacity > limit { release() }
    }

    @usableFromInline mutating func release() {
        // SAFETY: as in deinit; no other memory replaces it.
        unsafe storage?.deallocate()
        unsafe storage = nil
        capacity = 0
    }

    @inlinable @inline(__always) package mutating func append(_ byte: UInt8) {
        // SAFETY: there is room for one byte.
        unsafe room(for: 1).pointee = byte
    }

    /// Appends a copy of the bytes.
    @inlinable @inline(__always) package mutating func append(copying bytes: Span<UInt8>) {
        let size = bytes.count
        // SAFETY: the source is lent for the call only, is not inside this buffer, and there is room for its bytes.
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let first = source.baseAddress else { return }
            unsafe room(for: size).initialize(from: first, count: size)
        }
    }

    /// Appends a copy of one range of the bytes.
    @inlinable @inline(__always) package mutating func append(copying bytes: Span<UInt8>, _ range: ByteRange) {
        append(copying: bytes.extracting(range.lowerBound..<range.upperBound))
    }

    /// Appends a copy of all bytes of another buffer.
    @inlinable package mutating func append(copying other: borrowing OutputBuffer) {
        guard let first = unsafe other.storage else { return }
        // SAFETY: the first `filled` bytes have been written, and the other buffer is borrowed until the call ends.
        unsafe room(for: other.filled).initialize(from: UnsafePointer(first), count: other.filled)
    }

    /// Appends a copy of the first `count` slots.
    mutating func append(copying slots: borrowing Slots<UInt8>, count: Int) {
        precondition(0 <= count && count <= slots.count, "slots that do not exist are copied")
        // SAFETY: all slots have been written, there is room for `count` bytes, and the slots are not in this buffer.
        unsafe room(for: count).initialize(from: UnsafePointer(slots.storage), count: count)
    }

    /// Appends the text's UTF-8 bytes.
    @inlinable @inline(__always) package mutating func append(text: StaticString) {
        let size = text.utf8CodeUnitCount
        // SAFETY: a static string's bytes live as long as the process, and there is room for them.
        unsafe room(for: size).initialize(from: text.utf8Start, count: size)
    }

    /// Appends the last three decimal digits of a non-negative number.
    @inlinable @inline(__always) package mutating func append(threeDigits number: Int) {
        // SAFETY: there is room for three bytes.
        unsafe Self.write(threeDigits: UInt32(truncatingIfNeeded: number) % 1000, to: room(for: 3))
    }

    /// Writes a number below 1000 in three digits.
    @inlinable @inline(__always)
    static func write(threeDigits number: UInt32, to digits: UnsafeMutablePointer<UInt8>) {
        let (tens, hundreds) = (number / 10, number / 100)
        // SAFETY: the caller has room for three bytes.
        unsafe digits[0] = UInt8(truncatingIfNeeded: 0x30 &+ hundreds)
        unsafe digits[1] = UInt8(truncatingIfNeeded: 0x30 &+ tens &- hundreds &* 10)
        unsafe digits[2] = UInt8(truncatingIfNeeded: 0x30 &+ number &- tens &* 10)
    }

    /// Appends the number in decimal digits.
    @inlinable @inline(__always) package mutating func append(decimal number: UInt64) {
        if number < 10 { append(UInt8(truncatingIfNeeded: 0x30 &+ number)) } else { append(longDecimal: number) }
    }

    @usableFromInline mutating func append(longDecimal number: UInt64) {
        // Most numbers are byte counts or milliseconds.
        if number < 10_000 { return append(upToFourDigits: UInt32(truncatingIfNeeded: number)) }
        append(decimal: number / 10_000)
        let rest = Self.fourDigits(UInt32(truncatingIfNeeded: number % 10_000))
        // SAFETY: there is room for four bytes.
        unsafe UnsafeMutableRawPointer(room(for: 4)).storeBytes(of: rest.littleEndian, as: UInt32.self)
    }

    private mutating func append(upToFourDigits number: UInt32) {
        let digits = unsafe room(for: 4)
        let unused = number < 1000 ? number < 100 ? 2 : 1 : 0
        // SAFETY: there is room for four bytes, of which the first ones are given back unless they are digits.
        let text = Self.fourDigits(number) &>> UInt32(8 &* unused)
        unsafe UnsafeMutableRawPointer(digits).storeBytes(of: text.littleEndian, as: UInt32.self)
        filled &-= unused
    }

    /// The digits of a number below 10,000, the first in the low byte; computed side by side.
    @inline(__always)
    private static func fourDigits(_ number: UInt32) -> UInt32 {
        let hundreds = number / 100
        let pairs = hundreds | (number &- hundreds &* 100) &<< 16
        // A tenth of each number below 100.
        let tens = (pairs &* 103) &>> 10 & 0x000F_000F
        return (tens | (pairs &- tens &* 10) &<< 8) | 0x3030_3030
    }

    /// Appends a count of thousandths as a number with three decimals.
    @inlinable package mutating func append(thousandths count: UInt64) {
        let whole = count / 1000
        if whole < 10 {
            let digits = unsafe room(for: 5)
            // SAFETY: there is room for five bytes.
            unsafe digits[0] = UInt8(truncatingIfNeeded: 0x30 &+ whole)
            unsafe digits[1] = UInt8(ascii: ".")
            unsafe Self.write(threeDigits: UInt32(truncatingIfNeeded: count &- whole &* 1000), to: digits + 2)
            return
        }
        append(decimal: whole)
        append(UInt8(ascii: "."))
        append(threeDigits: Int(truncatingIfNeeded: count &- whole &* 1000))
    }

    /// Lends the bytes.
    @inlinable @inline(__always) package borrowing func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        // SAFETY: the first `filled` bytes have been written, and the buffer is borrowed until the call ends.
        unsafe body(UnsafeBufferPointer(start: storage, count: filled).span)
    }

    /// Reserves room for `size` more bytes, which the caller writes at once.
    @inlinable @inline(__always) mutating func room(for size: Int) -> UnsafeMutablePointer<UInt8> {
        // One byte stays free, so that there is memory even if nothing is appended.
        if capacity &- filled <= size { grow(by: size) }
        // SAFETY: `grow` made room where there was none.
        let start = unsafe storage.unsafelyUnwrapped + filled
        filled &+= size
        return unsafe start
    }

    @usableFromInline @inline(never) mutating func grow(by size: Int) {
        let larger = max(Self.leastCapacity, 2 * capacity, filled + size + 1)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        if let old = unsafe storage {
            // SAFETY: the larger memory has room for the bytes, which are plain.
            unsafe memory.initialize(from: old, count: filled)
            unsafe old.deallocate()
        }
        unsafe storage = memory
        capacity = larger
    }
}

// SAFETY: `storage` is this value's own from init to deinit, all of its `count` elements have been written, and every index
// is checked.
/// A fixed number of plain values that can be overwritten one by one, without the cost of a class's variable.
@safe
@usableFromInline struct Slots<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline let storage: UnsafeMutablePointer<Element>
    @usableFromInline let count: Int

    init(repeating element: Element, count: Int) {
        unsafe storage = .allocate(capacity: count)
        self.count = count
        // SAFETY: the memory is new, has room for `count` elements, and stays this value's own until deinit.
        unsafe storage.initialize(repeating: element, count: count)
    }

    deinit {
        // SAFETY: as in init; plain values need no deinitialization.
        unsafe storage.deallocate()
    }

    @inlinable subscript(_ index: Int) -> Element {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a slot that does not exist is read")
            // SAFETY: the index was checked.
            return unsafe storage[index]
        }
        @inline(__always) nonmutating set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a slot that does not exist is filled")
            // SAFETY: the index was checked; no reference to a slot is lent out.
            unsafe storage[index] = newValue
        }
    }
}

/// The end of a buffer, kept and appended again.
extension Slots<UInt8> {
    /// Keeps the end of `out` from `start` on, which must fit.
    func keep(_ out: borrowing OutputBuffer, from start: Int) {
        let size = out.filled - start
        precondition(0 <= start && 0 <= size && size <= count, "bytes that do not exist or do not fit are kept")
        // SAFETY: the first `filled` bytes of the buffer have been written, there are slots for `size` of them, and the
        // slots are not in the buffer.
        guard let first = unsafe out.storage else { return }
        unsafe storage.update(from: UnsafePointer(first) + start, count: size)
    }
}

/// Bytes that are kept for comparison.
extension Slots<UInt8> {
    /// Keeps `count` bytes from `start` on, in the slots from `first` on.
    func keep(_ bytes: Span<UInt8>, from start: Int, count size: Int, at first: Int) {
        precondition(first >= 0 && size <= count &- first, "more bytes are kept than there are slots for")
        // SAFETY: `extracting` has checked that the bytes are there, and the precondition that the slots are.
        unsafe bytes.extracting(start..<start &+ size).withUnsafeBufferPointer { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe (storage + first).update(from: source, count: size)
        }
    }

    /// Whether the `count` bytes from `start` on equal those kept from slot `first` on.
    @inline(__always)
    func holds(_ bytes: Span<UInt8>, from start: Int, count size: Int, at first: Int) -> Bool {
        precondition(first >= 0 && size <= count &- first, "more bytes are compared than were kept")
        // SAFETY: `extracting` has checked that the bytes are there, and the precondition that the slots are.
        return unsafe bytes.extracting(start..<start &+ size).withUnsafeBufferPointer { bytes in
            unsafe cbytescan_equals(bytes.baseAddress.unsafelyUnwrapped, storage + first, size)
        }
    }
}

/// Searches of whole texts by vectors.
extension Span<UInt8> {
    /// Lends the bytes to a search, which reads no others.
    @inline(__always)
    private func search(_ start: Int, _ end: Int, _ find: (UnsafePointer<UInt8>, Int) -> Int) -> Int {
        guard start < end else { return end }
        // SAFETY: `extracting` has checked that the bytes are there, and there is at least one.
        let offset = unsafe extracting(start..<end).withUnsafeBufferPointer { bytes in
            unsafe find(bytes.baseAddress.unsafelyUnwrapped, bytes.count)
        }
        return start &+ offset
    }

    /// The offset of the first byte from `start` that is not visible ASCII or is "#", or `end`.
    @inline(__always)
    func endOfTarget(from start: Int, to end: Int) -> Int {
        // SAFETY: the search reads only what it is lent.
        unsafe search(start, end) { bytes, count in unsafe cbytescan_end_of_target(bytes, count) }
    }

    /// The offset of the first byte from `start` that is not printable ASCII or is a question mark, a quotation mark or a
    /// backslash, or `end`.
    @inline(__always)
    func endOfPlainTarget(from start: Int, to end: Int) -> Int {
        // SAFETY: the search reads only what it is lent.
        unsafe search(start, end) { bytes, count in unsafe cbytescan_end_of_plain_target(bytes, count) }
    }

    /// The offset of the first byte from `start` that is not allowed in a field value, or `end`.
    @inline(__always)
    func endOfFieldContent(from start: Int, to end: Int) -> Int {
        // SAFETY: the search reads only what it is lent.
        unsafe search(start, end) { bytes, count in unsafe cbytescan_end_of_field_content(bytes, count) }
    }

    /// The offset of the first byte from `start` that is `byte`, or `end`.
    @inline(__always)
    func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        // SAFETY: the search reads only what it is lent.
        unsafe search(start, end) { bytes, count in unsafe cbytescan_find(bytes, count, byte) }
    }

    /// Whether two texts are the same bytes.
    @inline(__always)
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard !isEmpty else { return true }
        // SAFETY: both have `count` bytes, at least one.
        return unsafe withUnsafeBufferPointer { bytes in
            unsafe other.withUnsafeBufferPointer { other in
                unsafe cbytescan_equals(
                    bytes.baseAddress.unsafelyUnwrapped, other.baseAddress.unsafelyUnwrapped, bytes.count)
            }
        }
    }
}

extension Span<UInt8> {
    /// Eight bytes, the first in the low bits.
    @inlinable @inline(__always) package func word(at index: Int) -> UInt64 {
        let eight = extracting(index..<index &+ 8)
        // SAFETY: `extracting` has checked that the eight bytes are there.
        return unsafe eight.withUnsafeBytes { bytes in
            unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        }
    }

    /// Four bytes, the first in the low bits.
    @inlinable @inline(__always) package func half(at index: Int) -> UInt32 {
        let four = extracting(index..<index &+ 4)
        // SAFETY: `extracting` has checked that the four bytes are there.
        return unsafe four.withUnsafeBytes { bytes in
            unsafe UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
        }
    }
}

extension StaticString {
    /// Eight bytes of a literal, the first in the low bits; the compiler makes it a constant.
    @inlinable @inline(__always) func word(at index: Int) -> UInt64 {
        precondition(0 <= index && index &+ 8 <= utf8CodeUnitCount, "a literal has no eight bytes there")
        // SAFETY: the eight bytes are there, and a literal lives as long as the process.
        return unsafe UInt64(
            littleEndian: UnsafeRawPointer(utf8Start).loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Four bytes of a literal, the first in the low bits; the compiler makes it a constant.
    @inlinable @inline(__always) func half(at index: Int) -> UInt32 {
        precondition(0 <= index && index &+ 4 <= utf8CodeUnitCount, "a literal has no four bytes there")
        // SAFETY: the four bytes are there, and a literal lives as long as the process.
        return unsafe UInt32(
            littleEndian: UnsafeRawPointer(utf8Start).loadUnaligned(fromByteOffset: index, as: UInt32.self))
    }
}
