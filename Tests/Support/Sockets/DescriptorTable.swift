import Glibc

/// The table of descriptors that a thread opens and closes in.
package enum DescriptorTable {
    /// Gives the calling thread a table of its own, which threads that it starts from now on share.
    ///
    /// The concurrency runtime opens and closes descriptors on its own threads at any time, such as a timerfd. In a table
    /// that it does not share, a test can count descriptors and use them up.
    package static func separate() throws {
        typealias CloseRange = @convention(c) (_ first: UInt32, _ last: UInt32, _ flags: Int32) -> Int32
        // Glibc's module leaves the function out. `unshare` would do, but containers often forbid it.
        guard let symbol = dlsym(nil, "close_range") else { throw SocketError("close_range", ENOSYS) }
        let closeRange = unsafeBitCast(symbol, to: CloseRange.self)
        let unshare: Int32 = 2
        // Closes the range of descriptors above all that can be open.
        guard closeRange(.max, .max, unshare) == 0 else { throw SocketError("close_range", errno) }
    }
}
