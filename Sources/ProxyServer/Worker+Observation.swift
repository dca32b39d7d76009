import EventTransport
import ProxyCore

/// What a worker counts and logs.
extension Worker {
    /// Whether the access log needs the method and target of a record.
    var writesAccessLog: Bool { accessLog != nil }

    /// Logs the decisions about requests that begin from now on, if the log shows them.
    func logLevelChanged(_ decisions: DecisionLog?) {
        self.decisions = decisions
        renewExchanges()
    }

    func exchangeEnded(_ record: borrowing ExchangeRecord) {
        let now = loop.now
        counted.count(
            route: record.route, status: record.status, nanoseconds: now.nanoseconds(since: record.startedAt),
            upstream: record.upstreamTime, received: record.bytesReceived, sent: record.bytesSent)
        accessLog?.append(record, endedAt: now)
    }

    func tunnelOpened(_ kind: Tunnel.Kind, _ record: borrowing ExchangeRecord) {
        counted.count(
            route: record.route, status: record.status, nanoseconds: loop.now.nanoseconds(since: record.startedAt))
        counted.tunnels[kind].opened += 1
        // The line of a tunnel comes at its end.
        history.requestsEnded()
    }

    func tunnelEnded(_ kind: Tunnel.Kind, _ record: borrowing ExchangeRecord) {
        counted.countBytes(route: record.route, received: record.bytesReceived, sent: record.bytesSent)
        counted.tunnels[kind].ended(received: record.bytesReceived, sent: record.bytesSent)
        accessLog?.append(record, endedAt: loop.now)
        traceEnded(record, at: loop.now)
    }

    /// Takes the spans of an exchange or tunnel that has ended, if it was traced.
    @inline(never)
    func traceEnded(_ record: borrowing ExchangeRecord, at now: MonotonicInstant) {
        guard let tracer, let details = record.details, let trace = details.trace else { return }
        tracer.ended(trace, details, record, at: now)
    }

    func requestRetried(_ reason: Retry, _ record: borrowing ExchangeRecord) {
        counted.count(reason, route: record.route)
    }

    func tokenRefused(_ credential: CredentialUse) { counted.countRefusedToken(credential: credential.number) }

    func upstreamConnectionOpened() { counted.openedUpstreamConnections += 1 }

    var metrics: Metrics {
        var metrics = counted
        metrics.downstreamConnections = connections.count
        metrics.upstreamConnections = upstreamConnectionCount
        metrics.idleUpstreamConnections = idleUpstreams.count
        metrics.backendCertificates = rules.router.backendCertificates
        metrics.droppedLogLines = accessLog?.droppedLineCount ?? 0
        metrics.spans = tracer?.counts
        return metrics
    }

    /// The number of open connections to backends.
    var upstreamConnectionCount: Int {
        leaving.reduce(endpoints.connectionCount) { $0 + $1.connectionCount }
    }
}
