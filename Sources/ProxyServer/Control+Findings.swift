import EventTransport
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// What is wrong with the running process.
extension Control {
    /// The findings that are shown now.
    ///
    /// - Parameter credentials: The states of the credentials, if the caller has just gathered them.
    /// - Returns: The findings.
    func findingsPage(_ credentials: [CredentialStatus]? = nil) -> FindingsPage {
        FindingsPage(shown: findings?.current(credentials) ?? [], moment: moment)
    }

    /// Begins to evaluate the findings whenever a state changes.
    func watchFindings() {
        let bound = LoopBound(findings, loop: loop)
        // The token manager calls it on this loop.
        publisher.whenChanged { bound.value?.credentialChanged($0, isWell: $1) }
        let (incidents, loop) = (context.incidents, loop)
        incidents.whenOneBegins { loop.execute { bound.value?.changed() } }
        context.logWriter?.whenLinesLost { loop.execute { incidents.note(.logLinesDropped, at: loop.continuousNow) } }
        fileWarnings?.use(served.configuration.fileChecks)
        findings?.changed()
    }

    /// Ends what `watchFindings` has begun.
    func endFindings() {
        publisher.whenChanged(nil)
        context.incidents.whenOneBegins(nil)
        context.logWriter?.whenLinesLost(nil)
        findings?.stop()
    }

    /// What is wrong at an instant, the causes before their symptoms.
    func gatherFindings(at now: ContinuousClock.Instant, _ credentials: [CredentialStatus]) -> FindingsWatch.Found {
        let unixTime = Int64(LoopClock(loop: loop).unixTime)
        var found = FindingsWatch.Found(findings: FindingRules.process(processStatus))
        var changes: [ContinuousClock.Instant?] = []
        for status in credentials {
            found.findings += FindingRules.credential(status, at: now, unixTime: unixTime)
            changes.append(FindingRules.nextChange(status, at: now, unixTime: unixTime))
        }
        for (route, certificate) in zip(served.routes.routes, worker.rules.router.certificates) {
            guard let certificate else { continue }
            let (start, end) = (certificate.notBefore, certificate.notAfter)
            let wrong = FindingRules.certificate(from: start, to: end, of: .route(route.name), unixTime: unixTime)
            found.findings += wrong
            // Nobody reports that the file was replaced.
            if !wrong.isEmpty { changes.append(now + FileWarnings.pause) }
            changes.append(FindingRules.nextChange(from: start, to: end, unixTime: unixTime).map { now + $0 })
        }
        for (number, certificate) in newestBackendCertificates {
            let (name, end) = (worker.rules.router.routeName(number), certificate.expiresAt)
            found.findings += FindingRules.backendCertificate(endsAt: end, ofRoute: name, unixTime: unixTime)
            changes.append(FindingRules.nextChange(from: nil, to: end, unixTime: unixTime).map { now + $0 })
        }
        // What the load said about the content of files may not be true any more.
        let warnings = served.configuration.warnings.filter { !($0.code?.isOfFileContent ?? false) }
        fileWarnings?.look(at: now)
        found.findings += (warnings + (fileWarnings?.current ?? [])).map { Finding($0) }
        found.nextChange = (changes + [fileWarnings?.nextLook]).compactMap(\.self).min()
        return found
    }

    // MARK: - Certificates of backends

    /// The newest certificate of each backend that any worker has seen, by the number of the route.
    private var newestBackendCertificates: [(number: Int, certificate: BackendCertificate)] {
        askForBackendCertificates()
        let own = worker.rules.router.backendCertificates
        return worker.rules.router.routeNumbers.compactMap { number in
            let seen = [own[number], backendCertificates[number]].compactMap(\.self)
            return seen.max { $0.seenAt < $1.seenAt }.map { (number, $0) }
        }
    }

    /// Asks all workers which certificates they have seen; a difference is evaluated in a moment.
    private func askForBackendCertificates() {
        onWorkers { worker, _ in
            worker.rules.router.backendCertificates
        } done: { [weak self] all in
            self?.take(BackendCertificate.newest(of: all))
        }
    }

    private func take(_ certificates: [Int: BackendCertificate]) {
        let isDifferent = certificates.mapValues(\.expiresAt) != backendCertificates.mapValues(\.expiresAt)
        backendCertificates = certificates
        if isDifferent { findings?.changed() }
    }

    // MARK: - The process

    private var processStatus: ProcessStatus {
        var status = ProcessStatus()
        if !isServing {
            let shutdown = served.configuration.shutdown
            status.shutdown =
                isAccepting ? .delayed(shutdown.drainDelay, waitForIdle: shutdown.waitForIdle) : .draining
        }
        status.reloadProblem = reload?.problem
        status.needsRestart = reload?.needsRestart ?? []
        status.logProblem = logProblem
        status.descriptorWarning = DescriptorBudget(limit: DescriptorLimit.current).warning(for: served.configuration)
        status.incidents = context.incidents.last
        return status
    }
}
