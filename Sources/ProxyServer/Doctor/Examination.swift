import EventTransport
import Logging
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// Tries every credential and backend of a configuration, one step after the other.
///
/// Runs on its loop. The timeouts are those of a running proxy.
actor Examination {
    nonisolated let loop: EventLoop
    private nonisolated let executor: ManagerExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    let configuration: Configuration
    var limits: Limits { configuration.limits }
    let request: Doctor.Request
    private let budget: DescriptorBudget
    let progress: @Sendable (String) -> Void
    var checks: [DoctorCheck] = []
    var findings: [Finding] = []
    /// What servers and tokens say about the time.
    var clocks: [ClockReading] = []
    /// The credential that is being tried; its manager may have a new refresh token to write.
    private var current: (CredentialConfiguration, TokenManager, ProbingTransport)?
    private let mayReplaceFile: @Sendable (_ path: String) -> Bool
    private var isEnded = false
    /// What a request needs, by the name of its credential; absent without a token.
    var headers: [String: AuthorizationHeader] = [:]
    /// The first route of each backend that was tried, with its credential.
    var tried: [String: String] = [:]

    init(
        _ configuration: Configuration, _ request: Doctor.Request, _ budget: DescriptorBudget, loop: EventLoop,
        mayReplace: @escaping @Sendable (_ path: String) -> Bool = { SystemFileReader().mayReplace($0) },
        progress: @escaping @Sendable (String) -> Void
    ) {
        mayReplaceFile = mayReplace
        self.configuration = configuration.withUsedCredentials
        self.request = request
        self.budget = budget
        self.loop = loop
        executor = ManagerExecutor(loop)
        self.progress = progress
    }

    /// Ends the current step; a new refresh token is written to its file before.
    ///
    /// - Parameter signal: The name of the signal that ends it.
    /// - Returns: What is finished.
    func end(by signal: String) async -> DoctorReport {
        isEnded = true
        var reason = "ended by \(signal) before the report was complete"
        if let (credential, tokens, transport) = current {
            await tokens.stop()
            let lost = await tokens.status().filter { $0.lastError?.kind == .secretUnwritable }
            findings += lost.flatMap {
                FindingRules.credential($0, at: .now, unixTime: Int64(LoopClock(loop: loop).unixTime))
            }
            checks += transport.outcome.checks
            findings += transport.outcome.findings
            clocks += transport.clocks
            skip(.token, of: .credential(credential.name), "ended by \(signal)")
            if let sent = unanswered(credential, transport) { reason += "; \(sent)" }
        }
        return DoctorReport(checks: checks, findings: findings + ClockReading.findings(clocks), endedBy: reason)
    }

    /// The sentence that a refresh token may be spent; nil if none was sent without a response.
    private func unanswered(_ credential: CredentialConfiguration, _ transport: ProbingTransport) -> String? {
        guard case .refreshToken(let settings) = credential.source, transport.isUnanswered else { return nil }
        return
            "attache sent the refresh token of credential \(credential.name) and received no response; if the token server "
            + "replaced it, \(settings.path) holds a used refresh token"
    }

    /// Tries everything; a step that fails stops only what needs it.
    func run() async -> DoctorReport {
        let summary = ConfigurationSummary(configuration).verdict(warnings: 0, isStrict: false)
        checks.append(
            DoctorCheck(subject: .process, step: .configuration, result: .passed, detail: summary))
        findings += (configuration.warnings + budget.warnings(for: configuration)).map { Finding($0) }
        let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        let overrides = AddressOverrides(configuration.resolve)
        let connector = Connector(loop: loop, overrides: overrides)
        await examineCredentials(overrides, connector, logger)
        let endpoints = UpstreamEndpoints(
            loop: loop, connector: connector, connectTimeout: limits.connectTimeout, idle: IdleConnections(limit: 1),
            allowing: configuration.allowAddresses.map { AddressRange($0) }, logger: logger)
        for route in configuration.routes where !isEnded { await examine(route, endpoints, connector) }
        return DoctorReport(checks: checks, findings: findings + ClockReading.findings(clocks))
    }

    // MARK: - Credentials

    private func examineCredentials(_ overrides: AddressOverrides, _ connector: Connector, _ logger: Logger) async {
        let parent: TokenServerParent
        do throws(TransportError) {
            parent = try TokenServerParent(configuration.tokenServerProxy, loop: loop, logger: logger)
        } catch {
            noteUnusable(error, of: .process, step: .configuration)
            for credential in configuration.credentials {
                skip(.token, of: .credential(credential.name), "the password of tokenServerProxy cannot be read")
            }
            return
        }
        for credential in configuration.credentials where !isEnded {
            let client = LoopTokenClient(
                loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.tokenServerTimeout,
                overrides: overrides, parent: parent.find)
            await examine(
                credential,
                by: ProbingTransport(
                    client, connector, loop: loop, timeout: limits.connectTimeout,
                    subject: .credential(credential.name)))
        }
    }

    private func examine(_ credential: CredentialConfiguration, by transport: ProbingTransport) async {
        let (name, subject) = (credential.name, Finding.Subject.credential(credential.name))
        guard credential.parameters.isEmpty else {
            return skip(
                .token, of: subject,
                "the token depends on the request; attache token \(name) \(Self.options(credential)) fetches one")
        }
        if case .refreshToken(let settings) = credential.source, await !mayReplace(settings.path) {
            let reason = "the folder of \(settings.path) is not writable, so a new refresh token would be lost"
            findings.append(
                Finding(.refreshTokenNotWritten, .warning, of: subject, "Doctor sends no request: \(reason)."))
            return skip(.token, of: subject, reason)
        }
        progress("credential \(name)")
        let clock = LoopClock(loop: loop)
        let tokens = TokenManager(credentials: [credential], transport: transport, clock: clock, executor: loop)
        current = (credential, tokens, transport)
        let result: Result<AuthorizationHeader, TokenError>
        do throws(TokenError) {
            result = .success(try await tokens.authorizationHeader(for: name))
        } catch {
            result = .failure(error)
        }
        let statuses = await tokens.status()
        await tokens.stop()
        // A refresh token that was not written to its file is lost when the process ends.
        let lost = await tokens.status().filter { $0.lastError?.kind == .secretUnwritable }
        // Then `end` reports what is finished.
        guard !isEnded else { return }
        current = nil
        let outcome = transport.outcome
        checks += outcome.checks
        clocks += transport.clocks
        findings += outcome.findings.map { finding in
            // As on the admin listener, requests fail only for lack of a required credential.
            guard !credential.isRequired, finding.severity == .error else { return finding }
            var warning = finding
            warning.severity = .warning
            return warning
        }
        let unixTime = clock.unixTime
        findings += (statuses + lost).flatMap {
            FindingRules.credential($0, at: clock.now, unixTime: Int64(unixTime))
        }
        switch result {
        case .success(let header):
            headers[name] = header
            note(
                header, of: credential, statuses.first, at: unixTime,
                hasClock: outcome.checks.contains { $0.step == .clock })
        case .failure(let error):
            let sent = unanswered(credential, transport).map { "; \($0)" } ?? ""
            checks.append(
                DoctorCheck(subject: subject, step: .token, result: .failed, detail: error.message + sent))
        }
    }

    /// The options of `attache token` that describe a request.
    private static func options(_ credential: CredentialConfiguration) -> String {
        let options = credential.parameters.map { parameter in
            switch parameter {
            case .host: "--host HOST"
            case .field(let name): "--field '\(name): …'"
            case .bearerToken: "--field-file FILE"
            }
        }
        return options.joined(separator: " ")
    }

    /// Whether Attaché may write a new refresh token; asked outside the loop, because a file system may hang.
    private func mayReplace(_ path: String) async -> Bool {
        await withCheckedContinuation { continuation in
            FileThreads.shared.submit({ [mayReplaceFile] in mayReplaceFile(path) }, for: loop) {
                continuation.resume(returning: $0)
            }
        }
    }

    private func note(
        _ header: AuthorizationHeader, of credential: CredentialConfiguration, _ status: CredentialStatus?,
        at unixTime: Double, hasClock: Bool
    ) {
        let subject = Finding.Subject.credential(credential.name)
        let token = header.token
        let left = status?.expiresAt.map { max(0, ($0 - LoopClock(loop: loop).now).components.seconds) }
        let life = left.map { "; Attaché uses it for \($0) s" } ?? "; it does not expire"
        checks.append(
            DoctorCheck(
                subject: subject, step: .token, result: .passed, detail: DoctorRules.claims(of: token) + life))
        guard let issued = DoctorRules.issueTime(of: token) else { return }
        // A server may issue an old token again, so only a time to come says something.
        let difference = issued - unixTime
        guard difference > ClockReading.tolerance, !hasClock else { return }
        let reading = ClockReading(subject: subject, server: "", source: "iat", difference: difference)
        checks.append(reading.check)
        clocks.append(reading)
    }

    /// Notes that a file of the configuration is unusable now, though it was usable when the configuration was loaded.
    func noteUnusable(
        _ error: TransportError, of subject: Finding.Subject, server: String = "", step: DoctorCheck.Step
    ) {
        checks.append(
            DoctorCheck(subject: subject, server: server, step: step, result: .failed, detail: error.message))
        let code: FindingCode = step == .tls ? .valueUnusable : .secretUnreadable
        findings.append(Finding(code, .error, of: subject, error.message))
    }

    func skip(
        _ step: DoctorCheck.Step, of subject: Finding.Subject, _ reason: String, _ server: String = ""
    ) {
        checks.append(DoctorCheck(subject: subject, server: server, step: step, result: .skipped, detail: reason))
    }
}
