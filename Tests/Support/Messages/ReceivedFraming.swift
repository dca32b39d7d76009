/// How the end of a received body was found.
package enum ReceivedFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
    case untilClose
}
