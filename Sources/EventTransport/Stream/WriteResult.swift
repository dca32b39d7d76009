/// What happened to the bytes of a write.
package enum WriteResult: Equatable, Sendable {
    /// The kernel took all bytes or gets them at the end of the turn, or the connection can no longer send and
    /// dropped them.
    case written
    /// Some bytes wait in the connection's queue; `streamDrained` follows when they are sent.
    case blocked
}
