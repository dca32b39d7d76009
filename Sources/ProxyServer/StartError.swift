import EventTransport
import ProxyConfiguration

/// Why the proxy could not start, in words for the person who started it.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ error: TransportError) { description = error.message }

    init(_ error: TransportError, listeningOn listener: ListenerConfiguration, key: String) {
        description = "\(key): cannot listen on \(listener): \(error.message)"
    }
}
