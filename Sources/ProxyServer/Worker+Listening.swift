import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore

/// The listeners of a worker, and the connections that they accept.
extension Worker {
    /// Accepts connections on a socket, and serves them as the listener's configuration says.
    func listen(on socket: BoundSocket, as configuration: ListenerConfiguration, _ number: ListenerNumber) {
        let served = ServedListener()
        served.serve(
            configuration, at: socket.address, by: rules.router, passwords: passwords(of: configuration))
        let isLocal = socket.address.tcpAddress == nil
        let listener = Listener(
            loop: loop, socket: socket,
            descriptors: { [unowned self] in descriptorUse },
            accepted: { [unowned self] socket in
                let client = isLocal ? ServedClient(LocalPeer(withGroupsOf: socket)) : nil
                accept(socket, served, client)
            })
        if let address = socket.address.tcpAddress { own.add(address) }
        listener.failed = { [unowned self] error in reportAcceptFailure(error) }
        listeners[number] = OpenListener(listener: listener, served: served)
    }

    /// The users of a listener; nil if it asks for none.
    func passwords(of listener: ListenerConfiguration) -> PasswordFile? {
        guard let path = listener.passwordFile else { return nil }
        guard let file = inForce.passwordFiles[path] else {
            preconditionFailure("the users of a listener were not read")
        }
        return file
    }

    /// Closes the listeners, which removes the files of Unix sockets.
    func stopListening() {
        for open in listeners.values { open.listener.close() }
        listeners = [:]
    }

    /// The descriptors in use, and those to keep free: one for each client without a leased connection to a backend,
    /// and the reserve.
    ///
    /// Assumes that the other workers are as busy as this one.
    private var descriptorUse: DescriptorUse {
        let leasedCount = upstreamConnectionCount - idleUpstreams.count
        return DescriptorUse(
            open: descriptorsAtStart + connectionCount.current + upstreamConnectionCount,
            kept: descriptorReserve + max(0, connections.count - leasedCount) * workerCount)
    }

    /// The number of idle connections to backends to close after a failed accept; the next attempt follows in 100 ms.
    private static let closedPerAcceptFailure = 16

    /// Logs a failed accept, at most once in 10 s.
    private func reportAcceptFailure(_ error: TransportError) {
        counted.acceptPauses += 1
        if error.kind == .descriptorLimit {
            note(.descriptorsShort)
            for _ in 0..<Self.closedPerAcceptFailure where !idleUpstreams.closeOldest() { break }
        }
        guard loop.now >= nextAcceptReport else { return }
        nextAcceptReport = loop.now.advanced(by: .seconds(10))
        logger.warning("cannot accept connections", metadata: ["reason": "\(error.message)"])
    }

    private func accept(_ socket: consuming Socket, _ listener: ServedListener, _ client: ServedClient?) {
        let stream = StreamConnection(socket, loop: loop)
        guard connectionCount.takes() else {
            counted.refusedConnections += 1
            note(.connectionLimitReached)
            var out = takeScratch()
            ErrorResponse(
                ProxyError(
                    .tooManyConnections,
                    "More than \(rules.limits.connections) clients are connected (limits.connections); raise the limit, or look for "
                        + "clients that leak connections",
                    retryAfter: 1)
            ).append(to: &out, isHead: false, closes: true)
            stream.start()
            out.withSpan { _ = stream.write($0) }
            giveBackScratch(out)
            stream.closeAfterResponse()
            return
        }
        counted.acceptedConnections += 1
        connections.insert(DownstreamConnection(stream, worker: self, listener: listener, client: client))
    }

    func connectionClosed(_ connection: DownstreamConnection) {
        if connections.remove(connection) { connectionCount.left() }
        finishDrain()
    }
}
