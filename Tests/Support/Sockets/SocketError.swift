import Glibc

/// What ended a test's socket.
package enum SocketError: Error, Equatable, CustomStringConvertible {
    /// The peer, or the network on its behalf, reset the connection.
    case reset
    case refused
    case timedOut(String)
    case system(String, Int32)

    package init(_ call: String, _ code: Int32) {
        self =
            switch code {
            case ECONNRESET, EPIPE: .reset
            case ECONNREFUSED: .refused
            default: .system(call, code)
            }
    }

    package var description: String {
        switch self {
        case .reset: "the connection was reset"
        case .refused: "the connection was refused"
        case .timedOut(let what): "waited \(Patience.limit) in vain to \(what)"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
