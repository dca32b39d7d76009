import CLibevent
import Glibc

/// A connected stream socket that nobody serves yet; closed when it is dropped.
package struct Socket: ~Copyable {
    /// Nil where the system knows none, as for a pair made by `socketpair`.
    package let peer: SocketAddress?
    let descriptor: Int32

    /// Takes over a connected, non-blocking descriptor.
    package init(owning descriptor: Int32, peer: SocketAddress? = nil) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit { Glibc.close(descriptor) }

    /// Gives the descriptor to whoever closes it from now on.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
