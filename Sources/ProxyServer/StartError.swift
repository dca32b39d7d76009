import EventTransport
import ProxyConfiguration

/// Why the proxy could not start, in words for the person who started it.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether another process listens where this one is to listen, which time may mend.
    package let isAddressInUse: Bool

    init(_ error: TransportError) {
        description = error.message
        isAddressInUse = error.kind == .addressInUse
    }

    /// The message names the address itself; before it stands who asked for it.
    init(_ error: TransportError, listeningOn listener: ListenerConfiguration) {
        description = listener.place.map { "\($0): \(error.message)" } ?? error.message
        isAddressInUse = error.kind == .addressInUse
    }
}
