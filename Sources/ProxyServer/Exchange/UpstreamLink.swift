import EventTransport

/// What an exchange has of a connection to its backend.
enum UpstreamLink {
    case none
    /// A connection is being made.
    case connecting(ConnectAttempt)
    /// The connection is leased to the exchange.
    case leased(UpstreamConnection)

    var connection: UpstreamConnection? {
        switch self {
        case .leased(let connection): connection
        case .none, .connecting: nil
        }
    }
}
