import EventTransport
import HTTPWire
import ProxyCore

/// How an exchange becomes a tunnel.
extension Exchange {
    /// The answer to a CONNECT, without a field that a simple client could stumble over.
    static let established: StaticString = "HTTP/1.1 200 Connection established\r\n\r\n"

    /// Begins a CONNECT: opens a connection for the tunnel, or refuses.
    ///
    /// - Parameters:
    ///   - head: The head of the CONNECT, in `bytes`.
    ///   - bytes: What was received.
    ///   - rules: Nil for a listener that takes all apps to all routes.
    ///   - login: The user; nil if the listener asks for none.
    func serveConnect(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: ListenerRules?, _ login: TunnelLogin?
    ) {
        guard !router.via.isNamed(by: head, in: bytes) else { return refuse(Refusals.cameBack(to: router.via)) }
        let found: Router.Connect
        do throws(Router.Refused) {
            found = try router.connect(head, in: bytes, for: rules)
        } catch {
            record.note(route: error.route)
            return refuse(error.error)
        }
        switch found {
        case .tunnel(let destination):
            take(destination)
            _ = machine.headReceived(needsCredential: false)
            connect(destination.endpoint, passing: ViaName.lines(of: head, in: bytes))
        case .terminate(let tunnel): terminate(tunnel, login)
        }
    }

    /// The connection that a CONNECT asked for is open.
    func tunnelOpened(_ connection: UpstreamConnection) {
        guard let downstream else { return }
        record.noteSending(at: loop.now)
        if hasDetails { noteSending(over: connection) }
        record.status = 200
        var out = worker.takeScratch()
        out.append(text: Self.established)
        record.bytesSent += UInt64(out.count)
        out.withSpan { _ = downstream.stream.write($0) }
        worker.giveBackScratch(out)
        let nothing: [UInt8] = []
        becomeTunnel(.connect, to: connection, downstream, behindResponse: nothing.span)
    }

    /// Hands both connections over to a tunnel and ends; `rest` is what the backend has sent behind its response.
    func becomeTunnel(
        _ kind: Tunnel.Kind, to connection: UpstreamConnection, _ downstream: DownstreamConnection,
        behindResponse rest: Span<UInt8>
    ) {
        guard let destination else { preconditionFailure("a tunnel began without a destination") }
        machine.tunnelBegan()
        decisions?.note(.tunnelOpened, self, ["upstream": endpointName])
        connection.beginTunnel()
        link = .none
        self.downstream = nil
        var record = ExchangeRecord()
        swap(&record, &state.value.record)
        self.destination = nil
        credential = nil
        slot = nil
        let tunnel = Tunnel(
            kind, between: downstream, and: connection, idle: destination.tunnelIdle, record,
            whole: .tunnel(rules.limits), on: worker)
        worker.giveBack(self)
        downstream.began(tunnel) { sent in tunnel.start(sent: sent, answered: rest) }
    }
}
