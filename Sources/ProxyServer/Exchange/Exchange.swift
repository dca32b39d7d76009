import EventTransport
import HTTPWire
import ProxyCore

/// One request with its response: performs what `ExchangeStateMachine` decides.
///
/// Taken from the worker's store when a head has come and given back at the end, so that a request allocates nothing.
/// Confined to the worker's loop. Late answers of the token manager and the connector are told by `serial`.
///
/// What ends it gives it back; it serves another request in a later turn of the loop at the earliest, when no method of it
/// is on the stack any more.
final class Exchange {
    let worker: Worker
    // Copies of the worker's references. Reading them through the worker would retain each one at every use.
    let loop: EventLoop
    let router: Router
    let credentials: CredentialTable
    let responseFields: FieldLines
    let state: Confined<ExchangeState>
    /// Nil unless the log shows the level debug.
    let decisions: DecisionLog?
    /// Names the request in the log's debug lines; 0 without such lines.
    private(set) var number: UInt64 = 0

    init(worker: Worker) {
        self.worker = worker
        loop = worker.loop
        router = worker.router
        credentials = worker.credentials
        responseFields = worker.responseFields
        decisions = worker.decisions
        state = Confined(ExchangeState(timeouts: worker.backendTimeouts))
    }

    /// Whether the request's body may be read: its head is on its way and not all of it has come.
    var takesBody: Bool { upstream != nil && !request.isComplete }

    func prepare(for downstream: DownstreamConnection) {
        state.value.reset(for: downstream, at: loop.now)
        if let decisions { number = decisions.nextNumber() }
    }

    /// Takes the request: routes it, takes its credential and a connection, or begins to wait for them.
    func begin(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        summary.take(head)
        if worker.writesAccessLog { record.note(head, in: bytes) }
        request.begin(head)
        decisions?.received(self, head, in: bytes)
        if MaxForwards.of(head, in: bytes) == 0 { return answerForSelf() }
        let destination: Destination
        do throws(Router.Refused) {
            destination = try router.destination(of: head, in: bytes)
        } catch {
            record.noteRefused(route: error.routeIndex)
            return refuse(error.error)
        }
        take(destination)
        request.setHead(head, in: bytes, rules: destination.rules)
        do throws(ProxyError) {
            try chooseCredential(destination, for: head, in: bytes)
        } catch {
            return refuse(error)
        }
        switch machine.headReceived(needsCredential: !takeSlot()) {
        case .acquireUpstream: acquireUpstream(destination.endpoint)
        case .acquireCredential: acquireCredential()
        }
    }

    private func take(_ destination: Destination) {
        self.destination = destination
        timeouts = destination.timeouts
        record.note(destination)
        decisions?.note(
            .routeChosen, self,
            ["route": destination.routeIndex.map(router.routeName) ?? "none", "upstream": endpointName])
    }

    /// Finds out which token the request needs, if any.
    private func chooseCredential(
        _ destination: Destination, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) {
        if request.head.isAmbiguous { throw Refusals.ambiguousCredential }
        summary.authenticatesConnection = request.head.authenticatesConnection
        guard let credential = destination.credential, !request.head.carriesOwnCredential else {
            decisions?.note(
                .noCredentialAttached, self,
                ["why": destination.credential == nil ? "the route has none" : "the app sent its own"])
            request.keepBody(upTo: worker.limits.replayBytes, mayBeRefused: false)
            return
        }
        if let parameters = credential.parameters {
            self.credential = try credentials.use(credential.index, parameters, for: head, in: bytes)
        } else {
            self.credential = CredentialUse(index: credential.index, variant: nil)
        }
        record.credential = credential.index
        summary.refreshOn = destination.refreshOn
        summary.takesNonce = credential.provesPossession
        summary.repeatsForNonce = credential.provesPossession
        request.keepBody(
            upTo: worker.limits.replayBytes, mayBeRefused: !destination.refreshOn.isNever || credential.provesPossession
        )
    }

    /// Answers a request with an error before anything of it has been sent on.
    func refuse(_ error: ProxyError) {
        machine.answeredLocally()
        answer(error)
    }

    /// Ends a request whose body cannot be sent on as the app sent it.
    func requestFailed(_ error: ProxyError) {
        switch machine.requestFailed() {
        case .answer: answer(error)
        case .abortDownstream: cut(error)
        }
    }

    /// Answers a request that may pass no more proxies: we are whom it asks (RFC 9110 section 7.6.2).
    private func answerForSelf() {
        guard summary.method == .options else { return refuse(Refusals.trace) }
        machine.answeredLocally()
        record.status = 200
        write { out, closes in
            out.append(text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            out.append(text: closes ? "Connection: close\r\n\r\n" : "\r\n")
        }
    }

    /// Writes an answer of our own and ends the exchange.
    func answer(_ error: ProxyError) {
        let answer = ErrorResponse(error)
        decisions?.answered(self, error, status: answer.status)
        record.error = error
        record.status = answer.status
        let isHead = summary.method == .head
        write { out, closes in answer.append(to: &out, isHead: isHead, closes: closes) }
    }

    private func write(_ response: (inout OutputBuffer, _ closes: Bool) -> Void) {
        guard let downstream else { return }
        // What is left of the body must never be read as a request, so the connection ends with it.
        let persists = summary.isPersistent && request.isComplete && !downstream.isDraining
        var out = worker.takeScratch()
        response(&out, !persists)
        record.bytesSent += UInt64(out.count)
        out.withSpan { _ = downstream.stream.write($0) }
        worker.giveBackScratch(out)
        end(upstream: .cut, downstreamPersistent: persists)
    }

    /// Cuts a response that has begun: the app must see that it is not whole.
    func cut(_ error: ProxyError) {
        guard let downstream else { return }
        decisions?.failed(.responseCut, self, error)
        record.error = error
        let mayEndByClose = response.endsByClose
        finishRecord()
        releaseUpstream(.cut)
        self.downstream = nil
        downstream.exchangeWasCut(resets: mayEndByClose)
        worker.giveBack(self)
    }

    /// The app's connection is gone; nobody reads an answer.
    func downstreamClosed(_ error: ProxyError?) {
        machine.downstreamClosed()
        if record.error == nil { record.error = error }
        finishRecord()
        releaseUpstream(.cut)
        downstream = nil
        worker.giveBack(self)
    }

    /// Ends the exchange in good order.
    func end(upstream leaseEnd: UpstreamConnection.LeaseEnd, downstreamPersistent: Bool) {
        guard let downstream else { return }
        finishRecord()
        releaseUpstream(leaseEnd)
        self.downstream = nil
        worker.giveBack(self)
        downstream.exchangeEnded(isPersistent: downstreamPersistent)
    }

    func releaseUpstream(_ leaseEnd: UpstreamConnection.LeaseEnd) {
        connecting?.cancel()
        connecting = nil
        upstream?.endLease(leaseEnd)
        upstream = nil
    }

    private func finishRecord() {
        let outcome = response.outcome
        record.note(received: request.receivedBodyByteCount, outcome)
        worker.exchangeEnded(record)
        destination = nil
        credential = nil
        slot = nil
    }

    var endpointName: String { destination.map { "\($0.endpoint.origin)" } ?? "the backend" }
}
