import HTTPWire
import ProxyConfiguration
import ProxyCore
import Signing
import Testing
import TokenManager

@testable import EventTransport
@testable import ProxyServer

@Suite struct UnitStatusPageTests {
    private static let hostile = #"<script>alert("x")</script>&amp;'--><b>"#

    private func page(
        routes: [String] = ["main"], credentials: [CredentialStatus] = [], isDraining: Bool = false,
        traffic: [TrafficStep] = []
    ) -> StatusPage {
        let origin = Origin(scheme: .https, host: "backend.example", port: 443)
        let all = routes.map {
            Route(
                name: $0, match: RouteMatch(host: .exact("backend.example"), port: .any), upstream: .origin(origin),
                credential: nil
            )
        }
        let configured = credentials.map {
            CredentialConfiguration(name: $0.name, source: .fixed(.literal("hunter2-secret")))
        }
        let configuration = Configuration(listeners: [], credentials: configured, routes: all)
        var metrics = Metrics(routeCount: routes.count, credentialCount: credentials.count)
        for step in traffic {
            for _ in 0..<step.traffic.requests { metrics.count(route: 0, status: 200, nanoseconds: 1_000_000) }
        }
        return StatusPage(
            moment: AdminMoment(now: .now, unixTime: 1_790_000_000),
            readiness: Readiness(isDraining: isDraining, credentials), configuration: configuration,
            numbers: StableNumbers(configuration), credentials: credentials, metrics: metrics,
            traffic: RecentTraffic(
                beginsAt: MonotonicInstant(nanoseconds: 0), now: MonotonicInstant(nanoseconds: 1_005_000_000_000),
                current: 100, steps: traffic.isEmpty ? [:] : [0: traffic]),
            build: ProgramVersion.build, process: ProcessUsage(), reloads: ReloadCounts(startedAt: 1_789_999_000))
    }

    private func step(_ number: Int64, requests: Int, failures: Int = 0) -> TrafficStep {
        var counted = RouteMetrics()
        for index in 0..<requests { counted.count(status: index < failures ? 502 : 200, nanoseconds: 20_000_000) }
        return TrafficStep(number: number, Traffic(counted))
    }

    private func read(_ page: StatusPage) throws -> MarkupReader { try MarkupReader(page.document.markup) }

    @Test("The page is well formed for any number of routes and credentials", arguments: [0, 1, 50, 250])
    func numbers(count: Int) throws {
        let routes = (0..<count).map { "route-\($0)" }
        let credentials = (0..<count).map { CredentialStatus(name: "credential-\($0)", state: .empty) }
        let text = try read(page(routes: routes, credentials: credentials)).text
        for index in 0..<min(count, 100) {
            #expect(text.contains("route-\(index)\n"))
            #expect(text.contains("credential-\(index)"))
        }
        #expect(text.contains("150 more routes: see /routes.") == (count == 250))
        #expect(text.contains("150 more credentials: see /credentials.") == (count == 250))
        #expect(text.contains("The configuration has no route.") == (count == 0))
    }

    @Test("Names and errors never become markup")
    func escaped() throws {
        let error = TokenError(kind: .tokenServerUnreachable, message: Self.hostile)
        let status = CredentialStatus(name: Self.hostile, state: .failed, lastError: error)
        let plain = try read(page(credentials: [CredentialStatus(name: "main", state: .failed, lastError: error)]))
        let read = try read(page(routes: [Self.hostile], credentials: [status]))
        #expect(read.elements == plain.elements)
        #expect(read.text.split(separator: Self.hostile, omittingEmptySubsequences: false).count - 1 >= 3)
    }

    @Test("Control characters and those that turn the direction of text are replaced")
    func controls() {
        let page: HTML = "<p>\("a\u{0}b\u{1b}c\u{202e}d\u{2066}e\u{fffe}f\ng")</p>"
        #expect(page.markup == "<p>a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}f\ng</p>")
    }

    @Test("A quote with a combining mark is escaped too")
    func combining() {
        let page: HTML = "<p title=\"\("x\"\u{301} onload=\"")\"></p>"
        #expect(page.markup == "<p title=\"x&quot;\u{301} onload=&quot;\"></p>")
    }

    @Test("The page shows no secret")
    func secrets() {
        let status = CredentialStatus(name: "main", state: .fresh, expiresAt: .now + .seconds(60), receivedAt: .now)
        #expect(!page(credentials: [status]).document.markup.contains("hunter2"))
    }

    @Test("The policy allows the page's script and style by their digests, and nothing else of that kind")
    func policy() throws {
        let document = page().document.markup
        let policy = try #require(StatusPage.response("").fields.first { $0.hasPrefix("Content-Security-Policy: ") })
        for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
            let begin = try #require(document.firstRange(of: "<\(element)>")).upperBound
            let end = try #require(document.firstRange(of: "</\(element)>")).lowerBound
            let text = document[begin..<end]
            let digest = Base64.encode(SHA256(of: Array(text.utf8)).bytes)
            #expect(policy.contains("\(directive) 'sha256-\(digest)';"))
        }
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(!document.contains(" style="))
        #expect(!document.contains(" onclick="))
        #expect(!document.contains("src="))
    }

    @Test(
        "The head says whether the program is ready",
        arguments: [
            ([.fresh], false, "ready"), ([.failed], false, "not ready"), ([.fresh, .empty], false, "not ready"),
            ([.fresh], true, "draining"), ([], false, "ready"),
        ] as [([CredentialStatus.State], Bool, String)])
    func state(states: [CredentialStatus.State], isDraining: Bool, expected: String) throws {
        let credentials = states.enumerated().map { CredentialStatus(name: "c\($0)", state: $1) }
        let document = page(credentials: credentials, isDraining: isDraining).document.markup
        #expect(document.contains("<title>Attaché: \(expected)</title>"))
        #expect(document.contains(">\(expected)</strong>"))
    }

    @Test(
        "A credential says when its client certificate expires, or that it has expired",
        arguments: [(60, "client certificate expires in 60 s"), (-1, "client certificate has expired")])
    func certificate(left: Int64, expected: String) throws {
        var status = CredentialStatus(name: "c", state: .fresh)
        status.certificateExpiresAt = 1_790_000_000 + left
        #expect(try read(page(credentials: [status])).text.contains(expected))
    }

    @Test(
        "Each credential says what comes next",
        arguments: [
            (CredentialStatus(name: "c", state: .empty), "the next request fetches a token"),
            (CredentialStatus(name: "c", state: .fetching), "Attaché fetches a token, and requests wait for it"),
            (CredentialStatus(name: "c", state: .refreshing), "requests use the old one"),
            (CredentialStatus(name: "c", state: .failed), "no attempt is planned"),
            (CredentialStatus(name: "c", state: .empty, valueCount: 1), "Tokens per request: 1 value kept"),
        ])
    func next(status: CredentialStatus, expected: String) throws {
        #expect(try read(page(credentials: [status])).text.contains(expected))
    }

    @Test("Findings stand before everything else, with what to do")
    func findings() throws {
        var page = page()
        #expect(try read(page).text.contains("Attaché has found no problem"))
        var finding = Finding(.restartNeeded, .warning, "The file has new values for \(Self.hostile).")
        page.findings = [.init(finding, since: page.moment.now - .seconds(90))]
        finding = Finding(.certificateExpired, .error, of: .route("main"), "The client certificate has expired.")
        page.findings.append(.init(finding, since: .now))
        let text = try read(page).text
        for part in ["restart-needed, for 90 s", Self.hostile, finding.advice, "route main"] {
            #expect(text.contains(part), "\(part)")
        }
        let place = try #require(text.firstRange(of: "restart-needed")).lowerBound
        #expect(place < (try #require(text.firstRange(of: "Credentials")).lowerBound))
    }

    @Test("A token's bar shows how much of its life has passed, and where its refresh is")
    func life() {
        let begin = ContinuousClock.now
        let end = begin + .seconds(100)
        let young = LifeBar(begin: begin, refresh: begin + .seconds(80), end: end, now: begin + .seconds(25)).svg.markup
        #expect(young.contains("<rect class=\"past\" width=\"250\""))
        #expect(young.contains("<rect class=\"mark\" x=\"798\""))
        #expect(young.contains("25 % of the token&#39;s life has passed"))
        let late = LifeBar(begin: begin, refresh: nil, end: end, now: begin + .seconds(130)).svg.markup
        #expect(late.contains("<rect class=\"late\" width=\"1000\""))
        let short = LifeBar(begin: begin, refresh: nil, end: begin, now: begin).svg.markup
        #expect(short.contains("width=\"1000\""))
    }

    @Test("A route with requests has three charts and the figures of the last minute")
    func charts() throws {
        let page = page(traffic: [step(60, requests: 5), step(98, requests: 90, failures: 9)])
        let read = try read(page)
        #expect(read.elements.count { $0 == "figure" } == 3)
        for figure in ["1.4/s", "10 %", "requests in each 10 s, at most 90", "since the start · 200: 95"] {
            #expect(read.text.contains(figure), "\(figure)")
        }
        // The first of sixty steps ended before the first one with requests.
        #expect(page.document.markup.contains("M76 40v-2h3v2M228 40v-39h3v39"))
    }

    @Test("A route without recent requests says so instead of showing empty charts")
    func quiet() throws {
        let read = try read(page(traffic: [step(40, requests: 5)]))
        #expect(!read.elements.contains("figure"))
        #expect(read.text.contains("No request in the last 10 min."))
    }

    @Test(
        "Figures are short",
        arguments: [
            (Figure.duration(.seconds(-4)), "0 s"), (Figure.duration(.milliseconds(43_900)), "43 s"),
            (Figure.duration(.seconds(720)), "12 min"), (Figure.duration(.seconds(7_500)), "2 h 5 min"),
            (Figure.duration(.seconds(7_200)), "2 h"), (Figure.duration(.seconds(400_000)), "4 days"),
            (Figure.latency(nanoseconds: 40_000), "< 0.1 ms"), (Figure.latency(nanoseconds: 840_000), "0.8 ms"),
            (Figure.latency(nanoseconds: 42_000_000), "42 ms"),
            (Figure.latency(nanoseconds: 1_340_000_000), "1.3 s"), (Figure.rate(0, in: 60), "0/s"),
            (Figure.rate(3, in: 60), "3/min"), (Figure.rate(252, in: 60), "4.2/s"),
            (Figure.rate(720_000, in: 60), "12\u{202f}000/s"), (Figure.percent(0, of: 0), "0 %"),
            (Figure.percent(1, of: 5_000), "< 0.1 %"), (Figure.percent(1, of: 40), "2.5 %"),
            (Figure.percent(7, of: 7), "100 %"), (Figure.bytes(5_242_880), "5.0 MiB"),
            (Figure.grouped(1_234_567), "1\u{202f}234\u{202f}567"),
            (Figure.count(1, "fetch", "fetches"), "1 fetch"), (Figure.count(2, "fetch", "fetches"), "2 fetches"),
        ])
    func figures(text: String, expected: String) {
        #expect(text == expected)
    }
}
