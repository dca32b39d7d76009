package import TokenManager

/// Decides from the state of Attaché what is wrong; knows no clock and no socket.
package enum FindingRules {
    /// How long a credential has no token before that is shown.
    package static let missingTokenShownAfter: Duration = .seconds(10)
    /// How long fetches fail before that is shown, while requests still use the old token.
    package static let failingRefreshShownAfter: Duration = .seconds(30)
    /// How long before its end a certificate is a finding.
    package static let certificateDays: Int64 = 14

    /// What is wrong with a credential.
    ///
    /// - Parameters:
    ///   - status: The credential's state.
    ///   - now: The time.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: The findings, a cause before its symptom.
    package static func credential(
        _ status: CredentialStatus, at now: ContinuousClock.Instant, unixTime: Int64
    ) -> [Finding] {
        let subject = Finding.Subject.credential(status.name)
        let severity: Finding.Severity = status.isRequired && !status.isReady ? .error : .warning
        var findings: [Finding] = []
        if let end = status.certificateExpiresAt {
            findings += certificate(
                from: status.certificateValidFrom, to: end, of: subject, unixTime: unixTime)
        }
        if let error = status.lastError {
            var finding = Finding(
                FindingCode(rawValue: error.code) ?? .credentialUnavailable, severity, of: subject,
                error.message + served(status, now))
            finding.causes = [.shuttingDown, .outOfDescriptors, .certificateExpired, .certificateNotYetValid]
            if error.kind == .tokenServerUnreachable { finding.causes.formUnion(FindingCode.connectionFailures) }
            if status.isReady { finding.shownAfter = failingRefreshShownAfter }
            findings.append(finding)
        }
        if !status.isReady {
            var finding = Finding(
                .credentialUnavailable, severity, of: subject,
                "Attaché has no token. Requests with this credential wait up to limits.acquireTimeout, then get 503.")
            finding.causes = FindingCode.tokenFailures.union(FindingCode.connectionFailures).union([
                .shuttingDown, .outOfDescriptors,
            ])
            finding.shownAfter = missingTokenShownAfter
            if !findings.contains(where: { $0.key == finding.key }) { findings.append(finding) }
        }
        return findings
    }

    private static func served(_ status: CredentialStatus, _ now: ContinuousClock.Instant) -> String {
        guard status.isUsable, let end = status.expiresAt else { return "" }
        return "; Attaché uses the old token for another \(max(0, (end - now).components.seconds)) s"
    }

    /// When the findings of a credential change by time alone; nil if nothing is known to change them.
    package static func nextChange(
        _ status: CredentialStatus, at now: ContinuousClock.Instant, unixTime: Int64
    ) -> ContinuousClock.Instant? {
        var instants: [ContinuousClock.Instant] = []
        if status.isUsable, let end = status.expiresAt, end > now { instants.append(end) }
        if let end = status.certificateExpiresAt,
            let change = nextChange(from: status.certificateValidFrom, to: end, unixTime: unixTime)
        {
            instants.append(now + change)
        }
        return instants.min()
    }

    /// What is wrong with a certificate of Attaché's own, which is valid at both instants.
    package static func certificate(
        from start: Int64?, to end: Int64, of subject: Finding.Subject, unixTime: Int64
    ) -> [Finding] {
        if let start, start > unixTime {
            return [Finding(.certificateNotYetValid, .error, of: subject, "The client certificate is not valid yet.")]
        }
        guard end >= unixTime else {
            return [Finding(.certificateExpired, .error, of: subject, "The client certificate has expired.")]
        }
        guard let left = daysLeft(end, unixTime) else { return [] }
        return [Finding(.certificateExpiresSoon, .warning, of: subject, "The client certificate expires in \(left).")]
    }

    /// The time after which the findings of a certificate change; nil if that is more than a day away.
    package static func nextChange(from start: Int64?, to end: Int64, unixTime: Int64) -> Duration? {
        let changes = [start, end.subtractingReportingOverflow(certificateDays * 86_400 - 1).partialValue, end &+ 1]
        return changes.compactMap(\.self).filter { $0 > unixTime }.compactMap { change in
            let (left, overflow) = change.subtractingReportingOverflow(unixTime)
            return overflow || left > 86_400 ? nil : .seconds(left)
        }.min()
    }

    /// What is wrong with a backend's certificate, as seen in the last handshake.
    package static func backendCertificate(endsAt end: Int64, ofRoute name: String, unixTime: Int64) -> [Finding] {
        serverCertificate("The backend's certificate", endsAt: end, of: .route(name), unixTime: unixTime)
    }

    /// What is wrong with the certificate of a route's backend or a credential's token server, as seen in the last handshake.
    ///
    /// - Parameters:
    ///   - certificate: The certificate for people, at the beginning of a sentence.
    ///   - end: Its end in seconds since 1970.
    ///   - subject: The route or credential.
    ///   - unixTime: The time in seconds since 1970.
    /// - Returns: The finding, if the certificate expires soon.
    package static func serverCertificate(
        _ certificate: String, endsAt end: Int64, of subject: Finding.Subject, unixTime: Int64
    ) -> [Finding] {
        guard let left = daysLeft(end, unixTime) else { return [] }
        let detail = end < unixTime ? "has expired since the last handshake" : "expires in \(left)"
        var code = FindingCode.backendCertificateExpiresSoon
        if case .credential = subject { code = .tokenServerCertificateExpiresSoon }
        return [Finding(code, .warning, of: subject, "\(certificate) \(detail).")]
    }

    /// The time to a certificate's end as text; nil if that is far away.
    private static func daysLeft(_ end: Int64, _ unixTime: Int64) -> String? {
        let (left, overflow) = end.subtractingReportingOverflow(unixTime)
        guard !overflow, left < certificateDays * 86_400 else { return nil }
        if left < 7_200 { return "\(max(0, left / 60)) min" }
        return left < 172_800 ? "\(left / 3_600) h" : "\(left / 86_400) days"
    }

    /// What is wrong with Attaché itself.
    package static func process(_ status: ProcessStatus) -> [Finding] {
        var findings: [Finding] = []
        if let finding = shutdown(status.shutdown) { findings.append(finding) }
        if let problem = status.reloadProblem {
            findings.append(
                Finding(.configurationNotReloaded, .error, "The old configuration stays in force. \(problem)"))
        }
        if !status.needsRestart.isEmpty {
            findings.append(
                Finding(
                    .restartNeeded, .warning,
                    "The file has new values for \(status.needsRestart.joined(separator: ", ")), which the running process cannot use."
                ))
        }
        if let problem = status.logProblem {
            findings.append(
                Finding(
                    .accessLogNotReopened, .warning,
                    "Lines still go to the old file, which may have been renamed or removed. \(problem)."))
        }
        if let text = status.descriptorWarning {
            var finding = Finding(.descriptorLimitLow, .warning, text)
            finding.causes = [.outOfDescriptors]
            findings.append(finding)
        }
        for incident in Incident.allCases {
            guard let last = status.incidents[incident] else { continue }
            var finding = incident.finding
            finding.endsAt = last + Incident.duration
            if incident != .descriptorsShort { finding.causes = [.outOfDescriptors] }
            findings.append(finding)
        }
        return findings
    }

    private static func shutdown(_ shutdown: ProcessStatus.Shutdown) -> Finding? {
        switch shutdown {
        case .none: return nil
        case .delayed(let delay, let idle):
            let orIdle =
                idle > .zero
                ? ", or until no client has been connected for \(idle.settingText) (shutdown.waitForIdle)"
                : ""
            var finding = Finding(
                .shuttingDown, .notice,
                "Attaché still accepts requests, until \(delay.settingText) (shutdown.drainDelay) after the drain "
                    + "began\(orIdle). Then it finishes the running requests and ends.")
            // Requests still need tokens.
            finding.hidesSymptoms = false
            return finding
        case .draining:
            return Finding(
                .shuttingDown, .notice,
                "Attaché accepts no further requests, and ends when the running ones have ended.")
        }
    }
}
