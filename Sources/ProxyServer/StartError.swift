import EventTransport
import ProxyConfiguration

/// Why the proxy could not start, in words for the person who started it.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ error: TransportError) { description = error.message }

    /// The message names the address itself; before it stands who asked for it.
    init(_ error: TransportError, listeningOn listener: ListenerConfiguration) {
        description = listener.place.map { "\($0): \(error.message)" } ?? error.message
    }
}
