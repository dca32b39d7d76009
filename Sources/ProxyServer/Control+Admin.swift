import EventTransport
import Logging
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// The pages of the admin listener, and what they show.
extension Control {
    /// The table of the pages: a further page is a further entry.
    ///
    /// None shows a secret or a token. Each one gathers only what it shows.
    var adminPages: [AdminPage] {
        [
            AdminPage(.get, "/") { [unowned self] request, answer in
                guard request.method == "GET" else { return answer(StatusPage.response(nil)) }
                gatherStatus { answer(StatusPage.response($0.document)) }
            },
            .get("/livez") { .init(200, "alive\n") },
            .get("/readyz") { [unowned self] in
                let credentials = credentials
                return ReadinessPage(
                    readiness: readiness(credentials), credentials: credentials, findings: findingsPage(credentials)
                ).response
            },
            .get("/findings") { [unowned self] in
                .init(200, findingsPage().json, contentType: "application/json")
            },
            AdminPage(.get, "/metrics") { [unowned self] request, answer in
                let format = MetricsFormat(accept: request.accept)
                guard request.method == "GET" else {
                    return answer(.init(200, "", contentType: format.contentType))
                }
                gatherMetrics { [unowned self] gathered in
                    answer(.init(200, metricsPage(gathered, as: format).text, contentType: format.contentType))
                }
            },
            .get("/credentials") { [unowned self] in credentialsPage.document.response() },
            AdminPage(.post, "/credentials/NAME/refresh") { [unowned self] request, answer in
                CredentialRefresh(request.name) { [unowned self] in credentialsPage }
                    .begin(by: context.tokens, on: loop, answer)
            },
            AdminPage(.get, "/routes") { [unowned self] _, answer in
                gatherMetrics { [unowned self] metrics in
                    let page = RoutesPage(
                        configuration: served.configuration, numbers: served.numbers, metrics: metrics)
                    answer(page.document.response())
                }
            },
            AdminPage(.post, "/drain") { [unowned self] _, answer in
                guard isServing else {
                    let text = "attache is already draining; each SIGTERM after the first one ends the current period\n"
                    return answer(.init(409, text))
                }
                answer(.init(200, drainText))
                // Later, because the listener may close at once. A signal or another request may come first.
                loop.nextTurn { [weak self] in
                    guard let self, isServing else { return }
                    drain(for: .request, "POST /drain")
                }
            },
            .get("/log-level") { [unowned self] in LogLevelPage(current: logLevel).response },
            AdminPage(.put, "/log-level") { [unowned self] request, answer in
                answer(
                    LogLevelPage(current: logLevel).change(request) { level in
                        let note = { [logger = context.logger] in
                            logger.notice("log level changed", metadata: ["newLevel": "\(level.rawValue)"])
                        }
                        // The line comes while the log shows it.
                        switch level {
                        case .debug, .info, .notice:
                            setLogLevel(level)
                            note()
                        case .warning, .error:
                            note()
                            setLogLevel(level)
                        }
                    })
            },
            AdminPage(.post, "/reload") { [unowned self] _, answer in
                guard let reload else {
                    return answer(ReloadResult.unavailable("attache cannot load its configuration again").response)
                }
                let pending = PendingAnswer(answer, on: loop) { ReloadResult.late }
                reload.begin(.request) { pending.give($0.response) }
            },
        ]
    }

    /// The token manager lives on this loop, so its state is read without a hop.
    var credentials: [CredentialStatus] { context.tokens.assumeIsolated { $0.status() } }

    /// Now, on the loop's clock.
    var moment: AdminMoment {
        let clock = LoopClock(loop: loop)
        return AdminMoment(now: clock.now, unixTime: clock.unixTime)
    }

    func readiness(_ credentials: [CredentialStatus]) -> Readiness { Readiness(isDraining: !isServing, credentials) }

    private var credentialsPage: CredentialsPage {
        CredentialsPage(
            configurations: served.configuration.credentials, statuses: credentials, moment: moment)
    }

    private var drainText: String {
        let shutdown = served.configuration.shutdown
        let delay =
            shutdown.drainDelay > .zero ? " after \(shutdown.drainDelay.settingText) (shutdown.drainDelay)" : ""
        let orIdle =
            shutdown.waitForIdle > .zero
            ? " or when no client has been connected for \(shutdown.waitForIdle.settingText) (shutdown.waitForIdle)"
            : ""
        return "draining, as after SIGTERM: /readyz reports not ready, listeners close\(delay)\(orIdle), and running "
            + "requests have \(shutdown.gracePeriod.settingText) (shutdown.gracePeriod) to finish\n"
    }

    private func metricsPage(_ metrics: Metrics, as format: MetricsFormat) -> MetricsPage {
        let credentials = credentials
        return MetricsPage(
            metrics: metrics, routes: served.routes.routes, numbers: served.numbers, credentials: credentials,
            now: .now, format: format, fetchDurations: publisher.fetchDurations,
            routeCertificates: worker.rules.router.certificates.map(\.?.notAfter),
            names: context.names.snapshot, build: ProgramVersion.build, process: ProcessUsage(),
            reloads: reload?.counts, findings: findingsPage(credentials).shown.map(\.finding))
    }

    private func gatherMetrics(_ done: @escaping (Metrics) -> Void) {
        onWorkers { worker, _ in
            worker.metrics
        } done: { [unowned self] all in
            done(sum(all))
        }
    }

    /// The counters of all workers together, and those that exist once.
    func sum(_ all: [Metrics]) -> Metrics {
        var metrics = all.dropFirst().reduce(into: all[0]) { $0.add($1) }
        metrics.droppedLogLines += context.logWriter?.lostLineCount ?? 0
        return metrics
    }
}
