import EventTransport
import ProxyCore
import TokenClient
import TokenManager

/// Tries the backends, without and with their credentials.
extension Examination {
    func examine(_ route: Route, _ endpoints: UpstreamEndpoints, _ connector: Connector) async {
        let subject = Finding.Subject.route(route.name)
        guard let origin = RouteTable.fixedOrigin(of: route) else {
            return skip(.name, of: subject, "the app chooses the host, so doctor has no backend to try")
        }
        let endpoint: UpstreamEndpoint
        do throws(TransportError) {
            endpoint = try endpoints.endpoint(
                origin, route.tls, through: route.upstreamProxy, preservesHost: route.preservesHost)
        } catch {
            // Besides the files of its TLS, an endpoint has only the password of its parent proxy.
            let step: DoctorCheck.Step = error.kind == .tlsConfiguration ? .tls : .connection
            return noteUnusable(error, of: subject, server: "\(origin)", step: step)
        }
        let obstacle = RouteTrial(configuration: configuration, request: request).obstacle(to: route)
        let key =
            "\(ObjectIdentifier(endpoint)) \(route.credential ?? "") \(route.upstreamPath) \(obstacle == nil)"
        if let first = tried[key] {
            return skip(.name, of: subject, "doctor already tried this backend and credential with route \(first)")
        }
        tried[key] = route.name
        progress("route \(route.name)")
        let probe = ServerProbe(
            subject: subject, server: endpoint.name, target: endpoint.newestTarget(), connector: connector,
            timeout: limits.connectTimeout)
        let unixTime = Int64(LoopClock(loop: loop).unixTime)
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<ServerProbe.Outcome, Never>) in
            probe.begin(at: unixTime) { continuation.resume(returning: $0) }
        }
        checks += outcome.checks
        findings += outcome.findings
        guard outcome.isReached else { return }
        if let obstacle {
            skip(.withoutCredential, of: subject, obstacle, endpoint.name)
            if let credential = route.credential {
                skip(.withCredential, of: subject, obstacle, endpoint.name)
                findings.append(
                    Finding(
                        .tokenNotTested, .notice, of: subject,
                        "The backend gets no token of credential \(credential), because \(obstacle)."))
            }
            return
        }
        let sent = BackendRequest(
            method: request.method, path: route.upstreamPath + request.path, endpoint: endpoint,
            connector: connector, connectTimeout: limits.connectTimeout,
            responseTimeout: route.timeouts.response ?? limits.responseTimeout)
        let sentAt = LoopClock(loop: loop).unixTime
        let bare = await send(sent, of: route, with: nil)
        if let difference = LoopClock(loop: loop).difference(of: bare?.date, sentAt: sentAt) {
            let reading = ClockReading(subject: subject, server: endpoint.name, source: "Date", difference: difference)
            clocks.append(reading)
            if reading.isWrong { checks.append(reading.check) }
        }
        guard let credential = route.credential else { return }
        guard let header = headers[credential] else {
            return skip(.withCredential, of: subject, "doctor got no token of credential \(credential)", endpoint.name)
        }
        guard header.binding == nil else {
            let reason =
                "tokens of credential \(credential) are bound to a key (dpop); send a request through attache run"
            return skip(.withCredential, of: subject, reason, endpoint.name)
        }
        let answer = await send(sent, of: route, with: header)
        findings += DoctorRules.backend(
            without: bare?.status, with: answer?.status, challenge: answer?.challenge, credential: credential,
            route: route.name)
    }

    /// Sends the request, and notes how it ended.
    private func send(
        _ request: BackendRequest, of route: Route, with header: AuthorizationHeader?
    ) async -> BackendRequest.Answer? {
        let subject = Finding.Subject.route(route.name)
        let step: DoctorCheck.Step = header == nil ? .withoutCredential : .withCredential
        let loop = loop
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<BackendRequest.Answer, ProxyError>, Never>) in
            request.send(with: header, on: loop) { continuation.resume(returning: $0) }
        }
        var check = DoctorCheck(
            subject: subject, server: request.endpoint.name, step: step, result: .passed, detail: "")
        switch result {
        case .success(let answer):
            check.detail = "\(answer.status) for \(request.method) \(request.path)"
            let isRefused = [401, 403].contains(answer.status) || answer.status >= 500
            if header != nil, isRefused { check.result = .failed }
            checks.append(check)
            return answer
        case .failure(let error):
            (check.result, check.detail) = (.failed, error.detail)
            checks.append(check)
            let code = FindingCode(rawValue: "\(error.code)") ?? .connectionFailed
            findings.append(Finding(code, .error, of: subject, error.detail))
            return nil
        }
    }
}
