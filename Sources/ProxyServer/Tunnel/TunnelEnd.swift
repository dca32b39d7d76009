import EventTransport
import ProxyCore

/// One side of a tunnel: tells the tunnel which of its streams an event is from.
///
/// Confined to the worker's loop. Its stream holds it until that is closed.
final class TunnelEnd: StreamDelegate {
    private let tunnel: Tunnel
    private let side: TunnelStateMachine.Side

    init(_ tunnel: Tunnel, _ side: TunnelStateMachine.Side) {
        self.tunnel = tunnel
        self.side = side
    }

    func streamReceived(_ bytes: Span<UInt8>) { tunnel.received(bytes, from: side) }
    func streamEnded() { tunnel.ended(side) }
    func streamBlocked() { tunnel.blocked(side) }
    func streamDrained() { tunnel.drained(side) }
    func streamFailed(_ error: TransportError) { tunnel.failed(side, error) }
    func streamDeadlinePassed() { tunnel.deadlinePassed() }
}
