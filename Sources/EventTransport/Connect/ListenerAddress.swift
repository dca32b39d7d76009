/// The address of a listener.
package enum ListenerAddress: Hashable, Sendable, CustomStringConvertible {
    case tcp(SocketAddress)
    case unix(UnixAddress)

    /// Nil for a Unix socket.
    package var tcpAddress: SocketAddress? {
        switch self {
        case .tcp(let address): address
        case .unix: nil
        }
    }

    package var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let address): address.description
        }
    }
}
