import EventTransport
import HTTPWire
import ProxyCore

/// The exchange and its connection to the backend: taking one, writing to it, and what it reports.
extension Exchange {
    func acquireUpstream() {
        guard let endpoint else { preconditionFailure("an exchange without an endpoint asks for a connection") }
        if let connection = endpoint.acquireIdle() {
            attach(connection)
        } else {
            connect(endpoint)
        }
    }

    private func connect(_ endpoint: UpstreamEndpoint) {
        // The connector keeps the time; the app's connection is not measured meanwhile.
        downstream?.stream.deadline = nil
        let serial = serial
        connecting = endpoint.connect { [self] result in
            guard serial == self.serial else {
                if case .success(let connection) = result { connection.close() }
                return
            }
            connecting = nil
            switch result {
            case .success(let connection):
                attach(connection)
                downstream?.resumeRequest()
            case .failure(let error):
                machine.upstreamUnavailable()
                answer(ProxyError(error, reaching: endpointName))
            }
        }
    }

    private func attach(_ connection: UpstreamConnection) {
        machine.upstreamAcquired()
        connection.lease(to: self)
        upstream = connection
        if request.isComplete { machine.requestSent() }
    }

    /// Forwards what the app sent of the body.
    func forwardBody(_ bytes: Span<UInt8>, at offset: inout Int) {
        guard let upstream else { return }
        do throws(MessageError) {
            try request.forwardBody(bytes, at: &offset, to: upstream.stream)
        } catch {
            refuse(ProxyError(.malformedRequest(error), error.reason))
            return
        }
        if request.isComplete { machine.requestSent() }
    }

    /// Sends what has been gathered of the request, and stops reading from the app where the backend has no room.
    func flushRequest() {
        guard let upstream, let downstream else { return }
        let result = request.flush(to: upstream.stream)
        // Whoever has to move next is given a while: the app while its body is read, then the backend.
        let patience = request.isComplete ? worker.timeouts.upstream : worker.timeouts.body
        downstream.stream.deadline = worker.loop.now.advanced(byNanoseconds: patience)
        if result == .blocked, !request.isComplete { downstream.pauseReading() }
    }

    func upstreamDrained() {
        downstream?.resumeReading()
    }

    func responseBytesReceived(_ bytes: Span<UInt8>) {
        guard let downstream else { return }
        summary.isComplete = request.isComplete
        let hadBegun = response.hasBegun
        let progress = Result { () throws(MessageError) in
            try response.forward(
                bytes, answering: summary, draining: downstream.isDraining, limits: worker.headLimits,
                fields: worker.responseFields, to: downstream.stream)
        }
        if !hadBegun, response.hasBegun { machine.responseHeadReceived() }
        let room = response.flush(to: downstream.stream)
        switch progress {
        case .success(.ended(let end)): responseEnded(end)
        case .success(.incomplete):
            // A reader that has stopped is waited for as long as an idle one.
            let patience = room == .blocked ? worker.timeouts.idle : worker.timeouts.upstream
            downstream.stream.deadline = worker.loop.now.advanced(byNanoseconds: patience)
            if room == .blocked { upstream?.stream.pauseReading() }
        case .failure(let error): responseIsMalformed(error)
        }
    }

    private func responseEnded(_ end: ResponseForwarding.DownstreamEnd) {
        if let timeout = response.keepAliveTimeout {
            upstream?.keep(forSeconds: timeout)
        }
        switch machine.responseEnded() {
        case .reuse:
            self.end(
                upstream: end.upstreamReusable ? .reusable : .complete,
                downstreamPersistent: end.downstreamPersistent)
        case .close: self.end(upstream: .cut, downstreamPersistent: false)
        }
    }

    private func responseIsMalformed(_ error: MessageError) {
        let proxyError = ProxyError(
            .malformedResponse, "The answer of \(endpointName) is not valid HTTP/1.1: \(error.detail(worker.limits))")
        switch machine.upstreamFailed(isReplayable: false) {
        case .answer, .resend: answer(proxyError)
        case .abortDownstream: cut(proxyError)
        }
    }

    /// The backend closed its side in order.
    func upstreamEnded() {
        guard let downstream else { return }
        do throws(MessageError) {
            let end = try response.upstreamEnded(to: downstream.stream)
            _ = response.flush(to: downstream.stream)
            responseEnded(end)
        } catch {
            upstreamLost(
                ProxyError(
                    .connectionTerminated,
                    response.hasBegun
                        ? "\(endpointName) closed the connection before its response was whole"
                        : "\(endpointName) closed the connection without an answer"))
        }
    }

    func upstreamFailed(_ error: TransportError) {
        upstreamLost(ProxyError(.connectionTerminated, "The connection to \(endpointName) broke: \(error.message)"))
    }

    private func upstreamLost(_ error: ProxyError) {
        let isReplayable = (upstream?.isReused ?? false) && !response.hasReceived && request.isReplayable
        switch machine.upstreamFailed(isReplayable: isReplayable) {
        case .resend: resend()
        case .answer: answer(error)
        case .abortDownstream: cut(error)
        }
    }

    /// Sends the request again, over a connection made for it: another idle one may be as dead.
    private func resend() {
        upstream?.endLease(.cut)
        upstream = nil
        request.rewind()
        guard let endpoint else { preconditionFailure("a request is sent again to nowhere") }
        connect(endpoint)
    }

    /// The app has taken what was queued for it.
    func downstreamDrained() {
        upstream?.stream.resumeReading()
    }
}
