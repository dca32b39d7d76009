import EventTransport
import HTTPWire
import ProxyCore

/// One request with its response; performs what `ExchangeStateMachine` decides.
///
/// A worker takes exchanges from its store (`SpareExchanges`), so that a request allocates nothing. Confined to the
/// worker's loop. A late callback of the token manager or the connector is recognised by its old `serial`.
///
/// An exchange that ends goes back to the store. It serves another request in a later turn of the loop at the
/// earliest, when none of its methods is still on the stack.
final class Exchange {
    let worker: Worker
    /// What was in force when it was made; it serves only requests for which that holds.
    let rules: ServingRules
    // Copies of the references of worker and rules: reading them through those would retain each one at every use.
    let loop: EventLoop
    let router: Router
    /// The worker's generation when it was made.
    let generation: Int
    let headLimits: HeadLimits
    private let replayLimit: Int
    let credentials: CredentialTable
    let responseFields: FieldLines
    let state: Confined<ExchangeState>
    /// Nil unless the log shows debug messages.
    let decisions: DecisionLog?
    /// Whether the access log needs details of every request.
    let keepsDetails: Bool
    /// Whether records may have details: for the access log, or because requests are traced.
    let observes: Bool
    /// The request's number in the log's debug lines; 0 if there are none.
    private(set) var number: UInt64 = 0

    init(worker: Worker, rules: ServingRules) {
        self.worker = worker
        self.rules = rules
        loop = worker.loop
        router = rules.router
        generation = worker.generation
        headLimits = rules.headLimits
        replayLimit = rules.limits.replayBytes
        credentials = worker.credentials
        responseFields = worker.responseFields
        decisions = worker.decisions
        keepsDetails = worker.accessLog?.needsDetails ?? false
        observes = keepsDetails || worker.tracer != nil
        state = Confined(ExchangeState(timeouts: rules.backendTimeouts))
    }

    /// Whether the exchange can take more of the body: the head is on its way to the backend, and the body is
    /// incomplete.
    var takesBody: Bool { upstream != nil && !request.isComplete }

    func prepare(for downstream: DownstreamConnection) {
        state.value.reset(for: downstream, at: loop.now)
        if keepsDetails { prepareDetails(for: downstream) }
        if let decisions { number = decisions.nextNumber() }
    }

    /// Begins the request: routes it, and takes a token and a connection or starts to wait for them.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - bytes: The bytes that the head refers to.
    ///   - downstream: The app's connection.
    func begin(_ head: borrowing RequestHead, in bytes: Span<UInt8>, from downstream: DownstreamConnection) {
        state.value.begin(head, in: bytes, isLogged: worker.writesAccessLog)
        if observes { observe(head, in: bytes) }
        decisions?.received(self, head, in: bytes)
        if let admission = downstream.admission { return begin(head, in: bytes, from: downstream, admission) }
        if MaxForwards.of(head, in: bytes) == 0 { return answerForSelf() }
        if case .connect = head.method { return serveConnect(head, in: bytes, by: nil, nil) }
        do throws(Router.Refused) {
            forward(head, in: bytes, from: downstream, to: try router.destination(of: head, in: bytes))
        } catch {
            refuse(error, head, in: bytes)
        }
    }

    /// Begins a request to a listener with rules of its own.
    @inline(never)
    private func begin(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, from downstream: DownstreamConnection,
        _ admission: Admission
    ) {
        var listener = admission.rules
        var login: TunnelLogin?
        if let access = admission.asked {
            guard let admitted = logIn(head, in: bytes, by: access, admission) else { return }
            listener = admitted.rules
            if case .connect = head.method { login = admitted.user.map { TunnelLogin($0, admitted, by: access) } }
        }
        if let refusal = listener?.client?.refusal { return refuse(refusal) }
        if MaxForwards.of(head, in: bytes) == 0 { return answerForSelf() }
        if case .connect = head.method, listener?.gateway == nil {
            return serveConnect(head, in: bytes, by: listener, login)
        }
        do throws(Router.Refused) {
            let destination =
                if let listener {
                    try router.destination(of: head, in: bytes, by: listener)
                } else {
                    try router.destination(of: head, in: bytes)
                }
            forward(head, in: bytes, from: downstream, to: destination)
        } catch {
            refuse(error, head, in: bytes)
        }
    }

    /// Answers a request that no route takes, unless it came inside a terminated tunnel, whose host it lacks.
    @inline(never)
    private func refuse(_ refused: Router.Refused, _ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        if refused.error.kind == .notForAProxy, let tunnel = downstream?.terminated {
            return begin(head, in: bytes, inside: tunnel.destination)
        }
        record.note(route: refused.route)
        refuse(router.via.isNamed(by: head, in: bytes) ? Refusals.cameBack(to: router.via) : refused.error)
    }

    /// Sends the request to its destination, as soon as there is a token and a connection.
    private func forward(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, from downstream: DownstreamConnection,
        to destination: Destination
    ) {
        take(destination)
        if let urls = destination.urls {
            summary.mapsURLs = true
            response.mapURLs(urls, answering: head, in: bytes)
        }
        request.setHead(head, in: bytes, rules: destination.rules)
        if hasDetails { dropTrace(of: head, in: bytes, by: destination.rules) }
        if !request.head.isOrdinary {
            if request.head.hasComeBack { return refuse(Refusals.cameBack(to: router.via)) }
            if request.head.hasUpgrade { noteUpgrade() }
            if request.head.isAmbiguous { return refuse(Refusals.ambiguousCredential) }
        }
        do throws(ProxyError) {
            try chooseCredential(destination, for: head, in: bytes)
        } catch {
            return refuse(error)
        }
        switch machine.headReceived(needsCredential: !takeSlot()) {
        case .acquireUpstream: acquireUpstream(destination.endpoint, for: downstream)
        case .acquireCredential: acquireCredential()
        }
    }

    func take(_ destination: Destination) {
        state.value.take(destination)
        decisions?.note(
            .routeChosen, self,
            ["route": destination.route.map(router.routeName) ?? "none", "upstream": endpointName])
    }

    /// Finds out which token the request needs, if any.
    @inline(__always)
    private func chooseCredential(
        _ destination: Destination, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) {
        if destination.hasSimpleCredential, request.head.isOrdinary {
            return state.value.attach(nil, by: destination, replayLimit: replayLimit)
        }
        try chooseUnusualCredential(destination, for: head, in: bytes)
    }

    @inline(never)
    private func chooseUnusualCredential(
        _ destination: Destination, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) {
        guard let credential = destination.credential, !request.head.carriesOwnCredential else {
            summary.authenticatesConnection = request.head.authenticatesConnection
            if hasDetails, destination.credential != nil { noteOutcome(.own) }
            decisions?.note(
                .noCredentialAttached, self,
                ["why": destination.credential == nil ? "the route has none" : "the app sent its own"])
            request.keepBody(upTo: replayLimit, mayBeRefused: false)
            return
        }
        var variant: CredentialVariant?
        if let parameters = credential.parameters {
            variant = try credentials.variant(of: credential.number, parameters, for: head, in: bytes)
        }
        state.value.attach(variant, by: destination, replayLimit: replayLimit)
    }

    /// Answers with an error before any byte of the request has been sent to a backend.
    func refuse(_ error: ProxyError) {
        machine.answeredLocally()
        answer(error)
    }

    /// Ends a request whose body cannot be forwarded.
    func requestFailed(_ error: ProxyError) {
        switch machine.requestFailed() {
        case .answer: answer(error)
        case .abortDownstream: cut(error)
        }
    }

    /// Answers a request whose `Max-Forwards` is 0, which addresses Attaché itself (RFC 9110 section 7.6.2).
    private func answerForSelf() {
        guard summary.method == .options else { return refuse(Refusals.trace) }
        machine.answeredLocally()
        record.status = 200
        write { out, closes in
            out.append(text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            out.append(text: closes ? "Connection: close\r\n\r\n" : "\r\n")
        }
    }

    /// Writes a response of Attaché's own and ends the exchange.
    func answer(_ error: ProxyError) {
        let answer = ErrorResponse(error)
        decisions?.answered(self, error, status: answer.status)
        noteFailure(error)
        record.error = error
        record.status = answer.status
        let isHead = summary.method == .head
        write { out, closes in answer.append(to: &out, isHead: isHead, closes: closes) }
    }

    func write(_ response: (inout OutputBuffer, _ closes: Bool) -> Void) {
        guard let downstream else { return }
        // The unread rest of a body must never be read as a request, so the connection closes.
        let persists = summary.isPersistent && request.isComplete && !downstream.isDraining
        var out = worker.takeScratch()
        response(&out, !persists)
        record.bytesSent += UInt64(out.count)
        out.withSpan { _ = downstream.stream.write($0) }
        worker.giveBackScratch(out)
        end(downstream, upstream: .cut, downstreamPersistent: persists)
    }

    /// Cuts a response that has begun, in a way that shows the app that it is incomplete.
    func cut(_ error: ProxyError) {
        guard let downstream else { return }
        decisions?.failed(.responseCut, self, error)
        noteFailure(error)
        record.error = error
        let mayEndByClose = response.endsByClose
        finishRecord()
        releaseUpstream(.cut)
        self.downstream = nil
        downstream.exchangeWasCut(resets: mayEndByClose)
        worker.giveBack(self)
    }

    /// The app's connection is gone; nobody can read a response.
    func downstreamClosed(_ error: ProxyError) {
        machine.downstreamClosed()
        if record.error == nil { record.error = error }
        finishRecord()
        releaseUpstream(.cut)
        downstream = nil
        worker.giveBack(self)
    }

    /// Ends the exchange after a complete response.
    func end(
        _ downstream: DownstreamConnection, upstream leaseEnd: UpstreamConnection.LeaseEnd, downstreamPersistent: Bool
    ) {
        let isLastRequest = summary.isLast && request.isComplete
        finishRecord()
        releaseUpstream(leaseEnd)
        self.downstream = nil
        worker.giveBack(self)
        downstream.exchangeEnded(isPersistent: downstreamPersistent, isLastRequest: isLastRequest)
    }

    /// Gives the connection back, or ends the attempt to make one.
    func releaseUpstream(_ leaseEnd: UpstreamConnection.LeaseEnd) {
        var link = UpstreamLink.none
        swap(&link, &state.value.link)
        switch link {
        case .none: break
        case .connecting(let attempt): attempt.cancel()
        case .leased(let connection): connection.endLease(leaseEnd)
        }
    }

    private func noteFailure(_ error: ProxyError) {
        let route = record.route
        worker.failures.note(
            error, route: route, named: route.map(router.routeName), to: endpointName, at: loop.now)
    }

    private func finishRecord() {
        if hasDetails { noteWaitEnd() }
        state.value.completeRecord()
        worker.exchangeEnded(record)
        if observes { endTrace() }
        state.value.forgetDestination()
    }

    var endpointName: String { destination?.endpoint.name ?? "the backend" }
}
