import EventTransport
import HTTPWire
import ProxyCore

/// One request with its response: performs what `ExchangeStateMachine` decides.
///
/// Taken from the worker's store when a head has come and given back at the end, so that a request allocates nothing.
/// Confined to the worker's loop. Late answers of the token manager and the connector are told by `serial`.
///
/// What ends it gives it back, and within the same call it may be serving the app's next request already: behind `end`,
/// `answer`, `cut`, `refuse` and `downstreamClosed`, and behind whatever may have called one of them, nothing of it is
/// touched.
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
        endpoint = destination.endpoint
        timeouts = destination.timeouts
        record.note(destination)
        decisions?.note(
            .routeChosen, self,
            ["route": destination.routeIndex.map(router.routeName) ?? "none", "upstream": endpointName])
        let forwardable = ForwardableHead(head, in: bytes, rules: destination.rules, into: request.takeBuffer())
        if forwardable.isAmbiguous { return refuse(Refusals.ambiguousCredential) }
        summary.authenticatesConnection = forwardable.authenticatesConnection
        guard let index = destination.credential, !forwardable.carriesOwnCredential else {
            decisions?.note(
                .noCredentialAttached, self,
                ["why": destination.credential == nil ? "the route has none" : "the app sent its own"])
            send(UpstreamRequestHead(withoutCredential: forwardable), nil)
            return
        }
        let credential: CredentialUse
        if let parameters = destination.parameters {
            do throws(ProxyError) {
                credential = try credentials.use(index, parameters, for: head, in: bytes)
            } catch {
                return refuse(error)
            }
        } else {
            credential = CredentialUse(index: index, variant: nil)
        }
        self.credential = credential
        record.credential = index
        summary.refreshOn = destination.refreshOn
        summary.takesNonce = destination.rules.provesPossession
        summary.repeatsForNonce = summary.takesNonce
        if let slot = credentials.slot(credential, at: loop.now) {
            send(UpstreamRequestHead(forwardable, authorization: slot.line), slot)
            return
        }
        awaitCredential(credential, forwardable)
    }

    private func send(_ head: consuming UpstreamRequestHead, _ slot: CredentialTable.Slot?) {
        setHead(head, slot)
        switch machine.headReceived(needsCredential: false) {
        case .acquireUpstream: acquireUpstream()
        case .acquireCredential: preconditionFailure("a head with its credential waits for one")
        }
    }

    /// Takes the head that is to be sent, and as much of the body as another credential or proof may need again.
    func setHead(_ head: consuming UpstreamRequestHead, _ slot: CredentialTable.Slot?) {
        request.setHead(
            head, keeping: worker.limits.replayBytes,
            mayBeRefused: !summary.refreshOn.isNever || summary.repeatsForNonce)
        guard let slot else { return }
        record.note(slot, at: loop.now)
        decisions?.attached(self, credentialName)
        if slot.line.binding != nil { attach(slot.line) }
    }

    /// Refuses the request with an answer of our own.
    func refuse(_ error: ProxyError) {
        switch machine.requestFailed() {
        case .answer: answer(error)
        case .abortDownstream: cut(error)
        case .none: break
        }
    }

    /// Answers a request that may pass no more proxies: we are whom it asks (RFC 9110 section 7.6.2).
    private func answerForSelf() {
        guard summary.method == .options else { return refuse(Refusals.trace) }
        switch machine.requestFailed() {
        case .answer:
            record.status = 200
            write { out, closes in
                out.append(text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
                out.append(text: closes ? "Connection: close\r\n\r\n" : "\r\n")
            }
        case .abortDownstream, .none: preconditionFailure("a request was answered twice")
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
        heldHead = nil
    }

    private func finishRecord() {
        let outcome = response.outcome
        record.note(received: request.receivedBodyByteCount, outcome)
        worker.exchangeEnded(record)
        endpoint = nil
        credential = nil
    }

    var endpointName: String { endpoint.map { "\($0.origin)" } ?? "the backend" }
}
