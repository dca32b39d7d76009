/// What became of bytes given to a stream connection.
package enum WriteResult: Equatable, Sendable {
    /// The kernel took them all, or is given them at the end of the turn, or the connection can no longer send and dropped them.
    case written
    /// Some wait in the connection's queue; `streamDrained` tells when they have gone.
    case blocked
}
