import EventTransport
import HTTPWire
import ProxyCore

/// The exchange and its connection to the backend: takes one, writes the request, and handles what the connection
/// reports.
extension Exchange {
    func acquireUpstream(_ endpoint: UpstreamEndpoint, for downstream: DownstreamConnection) {
        if let connection = endpoint.acquireIdle() {
            decisions?.note(.connectionReused, self, ["upstream": endpointName])
            attach(connection, for: downstream)
        } else {
            connect(endpoint)
        }
    }

    /// Opens a connection; `via` is what a CONNECT carried, for the one to a parent proxy.
    func connect(_ endpoint: UpstreamEndpoint, passing via: [UInt8] = []) {
        downstream?.deadline.connectionAwaited()
        if hasDetails { noteConnectionAwaited() }
        let serial = serial
        let attempt = endpoint.connect(passing: via) { [self] result in
            if case .success = result { worker.upstreamConnectionOpened() }
            guard serial == self.serial else {
                if case .success(let connection) = result { connection.close() }
                return
            }
            link = .none
            switch result {
            case .success(let connection):
                decisions?.note(.connectionOpened, self, ["upstream": endpointName])
                if summary.method == .connect { return tunnelOpened(connection) }
                guard takeSlot() else {
                    machine.credentialEnded()
                    acquireCredential()
                    return endpoint.release(connection)
                }
                guard let downstream else { preconditionFailure("an exchange without an app took a connection") }
                attach(connection, for: downstream)
                downstream.resumeRequest()
            // At the descriptor limit, close an idle connection to make room for this request.
            case .failure(let error) where error.kind == .descriptorLimit && worker.idleUpstreams.closeOldest():
                self.connect(endpoint, passing: via)
            case .failure(let error):
                machine.upstreamUnavailable()
                answer(ProxyError(error, reaching: endpointName))
            }
        }
        link = .connecting(attempt)
    }

    private func attach(_ connection: UpstreamConnection, for downstream: DownstreamConnection) {
        connection.lease(to: self)
        let now = loop.now
        state.value.lease(connection, at: now)
        if hasDetails { noteSending(over: connection) }
        start(on: connection, at: now)
        guard request.isComplete else { return }
        machine.requestSent()
        flushRequest(to: connection, for: downstream, at: now)
    }

    /// Forwards a part of the body that the app sent.
    func forwardBody(_ bytes: Span<UInt8>, at offset: inout Int) {
        guard let upstream else { return }
        do throws(MessageError) {
            try request.forwardBody(bytes, at: &offset, to: upstream.stream)
        } catch {
            requestFailed(ProxyError(.malformedRequest(error), error.advice(rules.limits)))
            return
        }
        if request.isComplete { machine.requestSent() }
    }

    /// Sends the gathered bytes of the request, and stops reading from the app if the backend has no room.
    func flushRequest() {
        guard let upstream, let downstream else { return }
        flushRequest(to: upstream, for: downstream, at: loop.now)
    }

    private func flushRequest(
        to upstream: UpstreamConnection, for downstream: DownstreamConnection, at now: MonotonicInstant
    ) {
        switch request.flush(to: upstream.stream) {
        case .blocked: awaitRoomUpstream(upstream, downstream)
        case .written: requestMoved(downstream, at: now)
        }
    }

    private func awaitRoomUpstream(_ upstream: UpstreamConnection, _ downstream: DownstreamConnection) {
        let untaken = upstream.stream.unacknowledgedByteCount
        downstream.deadline.requestBlocked(untaken: untaken, within: timeouts, at: loop.now)
        if !request.isComplete { downstream.stream.pauseReading() }
    }

    /// The backend has not taken all that an earlier turn of the loop wrote.
    func upstreamBlocked() {
        guard let upstream, let downstream else { return }
        switch machine.upstreamBlocked() {
        case .awaitRoom: awaitRoomUpstream(upstream, downstream)
        case .none: break
        }
    }

    func upstreamDrained() {
        guard let downstream else { return }
        switch machine.upstreamDrained() {
        case .renewDeadline: requestMoved(downstream, at: loop.now)
        case .none: break
        }
        downstream.stream.resumeReading()
    }

    private func requestMoved(_ downstream: DownstreamConnection, at now: MonotonicInstant) {
        downstream.deadline.requestMoved(
            received: request.receivedBodyByteCount, isComplete: request.isComplete, isAnswered: response.hasBegun,
            within: timeouts, at: now)
    }

    func responseBytesReceived(_ bytes: Span<UInt8>) {
        guard let downstream else { return }
        switch machine.responseReceived() {
        case .forward:
            summary.isComplete = request.isComplete
            forwardResponse(bytes, before: .unread, to: downstream)
        case .keep: keepRefusal(bytes)
        }
    }

    /// Forwards bytes from the backend, or holds them back as `summary` says; `rest` says what follows these bytes.
    func forwardResponse(
        _ bytes: Span<UInt8>, before rest: ExchangeStateMachine.RefusalRest, to downstream: DownstreamConnection
    ) {
        let hadBegun = response.hasBegun
        let progress = Result { () throws(MessageError) in
            try state.value.forwardResponse(
                bytes, draining: downstream.isDraining, limits: headLimits, fields: responseFields,
                to: downstream.stream)
        }
        if summary.nonceUse != .ignored { keepNonce() }
        if !hadBegun {
            if response.hasChallenge { noteChallenge() }
            if hasDetails { noteFirstByte() }
            if response.hasBegun {
                machine.responseHeadReceived()
                record.noteResponse(at: loop.now)
                if decisions != nil, !summary.isRefusalTold, response.outcome.status == 401 {
                    noteNotCounted("refreshOn of the route does not count it")
                }
            }
        }
        let room = response.flush(to: downstream.stream)
        switch progress {
        case .success(.ended(let end)): responseEnded(end, downstream)
        case .success(.switched): switched()
        case .success(.credentialRefused): credentialWasRefused()
        case .success(.nonceAsked): nonceWasAsked()
        case .success(.refusalSuspected): machine.refusalSuspected()
        case .success(.parentRefused): parentRefused()
        case .success(.refusalUnfounded):
            machine.suspicionCleared()
            passRefusal(.unread)
        case .success(.incomplete):
            switch rest {
            case .unread: awaitMoreOfResponse(downstream, room)
            case .ended: endResponse(downstream)
            case .lost: upstreamLost(ProxyError(terminated: "The connection to \(endpointName) broke"))
            }
        case .failure(let error): responseIsMalformed(error)
        }
    }

    @inline(never)
    private func noteChallenge() {
        if let challenge = response.takeChallenge() { record.note(challenge: challenge, to: slot?.header) }
    }

    private func awaitMoreOfResponse(_ downstream: DownstreamConnection, _ room: WriteResult) {
        switch room {
        case .blocked: awaitRoomDownstream(downstream)
        case .written:
            // Parts of a head and interim responses do not extend the backend's timeout.
            if response.hasBegun { downstream.deadline.responseMoved(within: timeouts, at: loop.now) }
        }
    }

    private func awaitRoomDownstream(_ downstream: DownstreamConnection) {
        if response.hasBegun {
            let untaken = downstream.stream.unacknowledgedByteCount
            downstream.deadline.responseBlocked(untaken: untaken, at: loop.now)
        }
        upstream?.stream.pauseReading()
    }

    /// The app has not taken all that an earlier turn of the loop wrote, which may include responses to earlier
    /// requests.
    func downstreamBlocked() {
        guard let downstream else { return }
        switch machine.downstreamBlocked() {
        case .pauseUpstream: awaitRoomDownstream(downstream)
        case .none: break
        }
    }

    private func responseEnded(_ end: ConnectionReuse, _ downstream: DownstreamConnection) {
        if let timeout = end.keepAliveTimeout {
            upstream?.keep(forSeconds: timeout)
        }
        switch machine.responseEnded() {
        case .reuse:
            // If the backend answered before it had taken the whole request, the next request would wait behind the
            // rest.
            let isFree = end.upstreamReusable && state.value.hasSentAll
            self.end(
                downstream, upstream: isFree ? .reusable : .complete, downstreamPersistent: end.downstreamPersistent)
        case .close: self.end(downstream, upstream: .cut, downstreamPersistent: false)
        }
    }

    /// The parent proxy demands credentials, which are not the app's to send.
    private func parentRefused() {
        guard let endpoint = destination?.endpoint, let parent = endpoint.target.parent else {
            preconditionFailure("a parent proxy answered that nobody asked")
        }
        let error = TransportError(parent, demandingCredentialsFor: "\(endpoint.origin)")
        failResponse(ProxyError(error, reaching: endpointName))
    }

    private func responseIsMalformed(_ error: MessageError) {
        failResponse(ProxyError(malformed: error, error.detail(rules.limits), from: endpointName))
    }

    /// Ends a response that cannot be forwarded.
    private func failResponse(_ proxyError: ProxyError) {
        switch machine.upstreamFailed(isReplayable: false) {
        case .answer, .resend: answer(proxyError)
        case .abortDownstream: cut(proxyError)
        case .passRefusal, .releaseUpstream: preconditionFailure("a response was parsed while it was held back")
        }
    }

    /// The backend closed its side in order.
    func upstreamEnded() {
        guard let downstream else { return }
        switch machine.upstreamEnded() {
        case .endResponse: endResponse(downstream)
        case .passRefusal:
            releaseUpstream(.complete)
            passRefusal(.ended)
        case .releaseUpstream: releaseUpstream(.complete)
        }
    }

    /// Ends the response when the backend has closed its side, if that completes the response.
    private func endResponse(_ downstream: DownstreamConnection) {
        do throws(MessageError) {
            let end = try response.upstreamEnded()
            _ = response.flush(to: downstream.stream)
            responseEnded(end, downstream)
        } catch {
            upstreamLost(
                ProxyError(
                    terminated: response.hasBegun
                        ? "\(endpointName) closed the connection before its response was complete"
                        : "\(endpointName) closed the connection without a response"))
        }
    }

    func upstreamFailed(_ error: TransportError) {
        upstreamLost(ProxyError(terminated: "The connection to \(endpointName) broke: \(error.message)"))
    }

    func upstreamLost(_ error: ProxyError) {
        let isReplayable = (upstream?.isReused ?? false) && !response.hasReceived && request.isReplayable
        switch machine.upstreamFailed(isReplayable: isReplayable) {
        case .resend: sendAgain(.connectionLost)
        case .answer: answer(error)
        case .abortDownstream: cut(error)
        case .passRefusal:
            releaseUpstream(.cut)
            passRefusal(.lost)
        case .releaseUpstream: releaseUpstream(.cut)
        }
    }

    /// Sends the request once more, over a new connection, as another idle one may be dead too.
    func sendAgain(_ reason: Retry) {
        worker.requestRetried(reason, record)
        if hasDetails { noteResending(reason) }
        decisions?.note(.requestSentAgain, self, ["why": reason.rawValue])
        releaseUpstream(.cut)
        guard let destination else { preconditionFailure("a request without a destination is sent again") }
        connect(destination.endpoint)
    }

    /// The app has taken all queued bytes.
    func downstreamDrained() {
        guard let downstream else { return }
        switch machine.downstreamDrained() {
        case .resumeUpstream:
            // An interim response does not extend the backend's timeout, even if the app has taken it.
            if response.hasBegun { downstream.deadline.responseMoved(within: timeouts, at: loop.now) }
            upstream?.stream.resumeReading()
        case .none: break
        }
    }
}
