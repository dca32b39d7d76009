private import Locking

/// What shows that a way leads back to this process: the addresses at which it takes requests of apps, and its name.
///
/// Any thread may use it.
package final class OwnIdentity: Sendable {
    private let addresses = Locked<[SocketAddress]>([])

    /// The line `Via` with its CRLF, for requests that this process makes itself: one that arrives with it has come back.
    package let via: [UInt8]

    package init(via: [UInt8] = []) { self.via = via }

    /// Adds the address of a listener, with its actual port.
    package func add(_ address: SocketAddress) {
        addresses.withLock { if !$0.contains(address) { $0.append(address) } }
    }

    /// Removes the address of a listener that has closed.
    package func remove(_ address: SocketAddress) {
        addresses.withLock { $0.removeAll { $0 == address } }
    }

    /// Whether a connection to the address reaches one of the listeners.
    ///
    /// The addresses of this machine's network interfaces are not known here. A loop through one of them is found by the
    /// `Via` of the request.
    func contains(_ address: SocketAddress) -> Bool {
        addresses.withLock { addresses in
            addresses.contains { own in
                guard own.port == address.port else { return false }
                if own.ip == address.ip { return true }
                // A connection to 0.0.0.0 or :: reaches a listener on loopback.
                return address.ip.isThisMachine
                    && (own.ip.isUnspecified || address.ip.isUnspecified && own.ip.isLoopback)
            }
        }
    }
}
