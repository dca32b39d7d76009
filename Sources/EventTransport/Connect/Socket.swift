import CLibevent
import Glibc

/// A connected stream socket without an owner yet; closed when it is dropped.
package struct Socket: ~Copyable {
    /// The peer's address; nil if the system knows none, as for a pair from `socketpair`.
    package let peer: SocketAddress?
    let descriptor: Int32

    /// Takes over a connected, non-blocking descriptor.
    package init(owning descriptor: Int32, peer: SocketAddress? = nil) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit { Glibc.close(descriptor) }

    /// Hands over the descriptor; the caller closes it from now on.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
