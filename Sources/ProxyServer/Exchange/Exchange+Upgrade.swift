import EventTransport
import ProxyCore

/// A request that asks the backend to switch to another protocol.
extension Exchange {
    /// Notes what becomes of the app's wish.
    func noteUpgrade() {
        if request.head.asksForWebSocket {
            summary.asksForWebSocket = true
        } else {
            record.hasDroppedUpgrade = true
            decisions?.note(
                .upgradeDropped, self, ["why": "only a GET in HTTP/1.1 may ask for one, and only for websocket"])
        }
    }

    /// The backend has switched to WebSocket.
    func switched() {
        guard let upstream, let downstream else { return }
        record.status = 101
        if hasDetails { noteSwitch() }
        record.bytesSent += response.outcome.sentByteCount
        becomeTunnel(.websocket, to: upstream, downstream, behindResponse: response.takeBehindSwitch().span)
    }
}
