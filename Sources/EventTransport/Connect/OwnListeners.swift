private import Locking

/// The addresses at which this process takes requests of apps: a connection to one of them would come back.
///
/// Any thread may use it.
package final class OwnListeners: Sendable {
    private let addresses = Locked<[SocketAddress]>([])

    package init() {}

    /// Adds the address of a listener, with its actual port.
    package func add(_ address: SocketAddress) {
        addresses.withLock { if !$0.contains(address) { $0.append(address) } }
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
