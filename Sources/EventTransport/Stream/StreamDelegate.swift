/// Receives the events of one stream connection; every call is on the loop's thread.
///
/// From inside each call the delegate may write to, pause, close or abort this connection or any other. No call
/// follows `close()` or `abort()`.
package protocol StreamDelegate: AnyObject {
    /// Bytes arrived.
    ///
    /// They are lent from the loop's one read buffer until the call returns: consume or copy all of them.
    func streamReceived(_ bytes: Span<UInt8>)
    /// The peer closed its side in order (FIN, or TLS close_notify); writing still works.
    func streamEnded()
    /// The socket did not take all that an earlier turn wrote; `streamDrained` follows when it has.
    func streamBlocked()
    /// The queue is empty again after the socket refused bytes, whether or not `streamBlocked` was called.
    func streamDrained()
    /// A reset, a TLS failure or a TLS end without close_notify; at most once, and the last call.
    func streamFailed(_ error: TransportError)
    /// The connection's deadline has passed and is unset now.
    func streamDeadlinePassed()
}
