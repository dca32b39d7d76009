// SAFETY: `readMemory` lives as long as the loop. It is filled or lent, never both, which `isReadMemoryLent` checks.
extension EventLoop {
    /// The memory for one read; filling it while a delegate has its content is a programming error and traps.
    var readBuffer: UnsafeMutableBufferPointer<UInt8> {
        precondition(!isReadMemoryLent, "a stream is read while a delegate still has the bytes of the last read")
        return unsafe readMemory
    }

    /// Lends the first bytes of the read buffer, which a read has just filled.
    func lendReadBuffer(_ count: Int, to body: (Span<UInt8>) -> Void) {
        precondition(!isReadMemoryLent && 0 <= count && count <= Self.readCapacity, "more was lent than was read")
        let bytes = unsafe UnsafeBufferPointer(start: readMemory.baseAddress, count: count)
        isReadMemoryLent = true
        body(unsafe bytes.span)
        isReadMemoryLent = false
    }
}
