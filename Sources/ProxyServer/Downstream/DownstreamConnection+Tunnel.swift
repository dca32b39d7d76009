import EventTransport
import ProxyCore

/// An app's connection as a side of a tunnel.
extension DownstreamConnection {
    /// The exchange has become a tunnel, which takes the stream's events from now on.
    ///
    /// `start` gets the bytes that the app has sent behind its request.
    func began(_ tunnel: Tunnel, start: (_ sent: Span<UInt8>) -> Void) {
        exchange = nil
        self.tunnel = tunnel
        let action = machine.tunnelBegan()
        let sent = backlog.takeAll()
        start(sent.span)
        switch action {
        case .readApp: break
        case .passEnd: tunnel.ended(.app)
        }
    }

    /// The tunnel is over, and the stream closed or aborted.
    func tunnelEnded() {
        tunnel = nil
        closed()
    }
}
