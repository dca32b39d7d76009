import EventTransport
import ProxyConfiguration

/// The reason why the proxy could not start.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether another process uses the address, so that a later attempt may succeed.
    package let isAddressInUse: Bool

    init(_ error: TransportError) {
        description = error.message
        isAddressInUse = error.kind == .addressInUse
    }

    /// Uses the message of `error`, which names the address, and prepends the setting's name.
    init(_ error: TransportError, listeningOn listener: ListenerConfiguration) {
        description = listener.place.map { "\($0): \(error.message)" } ?? error.message
        isAddressInUse = error.kind == .addressInUse
    }
}
