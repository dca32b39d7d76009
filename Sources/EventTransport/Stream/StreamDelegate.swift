/// Hears what happens on one stream connection; every call comes on the loop's thread.
///
/// From inside any of these the delegate may write to, pause, close or abort this connection or any other.
/// After `close()` or `abort()` no further call comes.
package protocol StreamDelegate: AnyObject {
    /// Bytes arrived. They are lent from the loop's one read buffer and gone on return: consume or copy all of them.
    func streamReceived(_ bytes: Span<UInt8>)
    /// The peer's orderly end (FIN, or TLS close_notify). Reading is over; writing still works.
    func streamEnded()
    /// The socket did not take all that an earlier turn wrote; `streamDrained` tells when the rest has gone.
    func streamBlocked()
    /// After the socket refused bytes, told or not: nothing is queued any more.
    func streamDrained()
    /// A reset, a TLS failure or a TLS end without close_notify; comes at most once and is the last call.
    func streamFailed(_ error: TransportError)
    /// The connection's deadline has passed. It is unset by then.
    func streamDeadlinePassed()
}
