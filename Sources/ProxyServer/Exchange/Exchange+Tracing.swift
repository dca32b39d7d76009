import EventTransport
import HTTPWire
import ProxyCore

/// What an exchange does for its spans.
extension Exchange {
    /// Notes the head of the request, and begins its spans if it is traced.
    @inline(never)
    func observe(_ head: borrowing RequestHead, in bytes: Span<UInt8>) {
        if state.value.takeSampling(), let trace = worker.tracer?.trace(head, in: bytes) {
            if !hasDetails, let downstream { prepareDetails(for: downstream) }
            record.details?.trace = trace
        }
        record.details?.note(head, in: bytes)
    }

    /// The lines that tell the backend of the trace, with the span of this sending; nil if the request is not traced.
    @inline(never)
    func traceLines() -> [UInt8]? {
        guard let trace = record.details?.trace else { return nil }
        trace.sent(request.head)
        return trace.lines
    }

    /// Rewrites the head once more, without the app's trace, if the request is traced.
    ///
    /// The first rewriting is straight code, which all other requests run through.
    @inline(never)
    func dropTrace(of head: borrowing RequestHead, in bytes: Span<UInt8>, by rules: UpstreamRequestHead.Rules) {
        guard record.details?.trace != nil else { return }
        request.setHead(head, in: bytes, rules: rules.traced)
    }

    /// Begins the span of a sending, if the request is traced.
    func traceSending() {
        guard let trace = record.details?.trace, let tracer = worker.tracer, let origin = destination?.endpoint.origin
        else { return }
        trace.sendingBegan(to: origin, at: loop.now, tracer.spanID)
    }

    /// Hands over the spans of an exchange that has ended, and leaves details only where the access log needs them.
    @inline(never)
    func endTrace() {
        worker.traceEnded(record, at: loop.now)
        if keepsDetails { record.details?.trace = nil } else { record.details = nil }
    }

    /// The backend has agreed to switch to WebSocket.
    @inline(never)
    func noteSwitch() { record.details?.trace?.answered(101) }

    /// The request will be sent again.
    ///
    /// The span of a sending that was refused ends with the refusal, before Attaché asks for another token.
    @inline(never)
    func noteResending(_ retry: Retry) {
        guard let details = record.details, let trace = details.trace else { return }
        switch retry {
        case .connectionLost: trace.sendingFailed(retry, at: loop.now)
        case .tokenRefused, .nonceAsked: trace.sendingFailed(retry, at: details.firstByteAt ?? loop.now)
        }
    }
}
