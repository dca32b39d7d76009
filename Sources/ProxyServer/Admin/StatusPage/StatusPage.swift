import EventTransport
import ProxyConfiguration
import ProxyCore
import TokenManager

/// The page `/` of the admin listener: what is wrong, and how credentials, routes and connections do, for a person.
///
/// One document without outside parts. It is complete without its script, which only fetches it again. It shows no secret
/// and no token.
struct StatusPage {
    let moment: AdminMoment
    let readiness: Readiness
    let configuration: Configuration
    let numbers: StableNumbers
    let credentials: [CredentialStatus]
    let metrics: Metrics
    var traffic = RecentTraffic.none
    var findings: [ShownFindings.Shown] = []
    var build: BuildIdentity?
    var process: ProcessUsage?
    var reloads: ReloadCounts?

    /// The fields and the page; without the page for HEAD.
    static func response(_ page: HTML?) -> EmbeddedServer.Response {
        EmbeddedServer.Response(
            200, page?.markup ?? "", contentType: "text/html; charset=utf-8", fields: StatusPagePolicy.fields)
    }

    /// The whole document.
    var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8" />
        <title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        \(icon)
        <noscript><meta http-equiv="refresh" content="10" /></noscript>
        <style>\(StatusPageStyle.markup)</style>
        </head>
        <body>
        <header>
        <h1>Attaché</h1>
        <div id="state" class="state" data-live="">\(state)</div>
        <p id="live" class="quiet" role="status"></p>
        </header>
        <main>
        <section id="findings" data-live="">\(findingSection)</section>
        <section id="credentials" data-live="">\(credentialSection)</section>
        <section id="routes" data-live="">\(routeSection)</section>
        <section id="connections" data-live="">\(connectionSection)</section>
        <section>
        <h2>Configuration</h2>
        <details>
        <summary>\(summary.counts)</summary>
        <pre id="summary" data-live="">\(summary.description)</pre>
        </details>
        <div id="program" data-live="">\(programSection)</div>
        </section>
        </main>
        <script>\(StatusPageScript.markup)</script>
        </body>
        </html>

        """
    }

    var summary: ConfigurationSummary { ConfigurationSummary(configuration) }

    private var title: String { "Attaché: \(readiness.rawValue)" }

    private var state: HTML {
        let tone: HTML =
            switch readiness {
            case .ready: "good"
            case .notReady: "bad"
            case .draining: "fair"
            }
        let time = TimestampClock.text(ofSecond: moment.unixTime).map { $0.split(separator: "T").last ?? "" } ?? ""
        return """
            <strong class="pill \(tone)">\(readiness.rawValue)</strong>
            <span class="quiet">version \(ProgramVersion.number)\(uptime), at \(time.dropLast().description) UTC</span>
            """
    }

    private var uptime: HTML {
        guard let start = process?.startTime else { return "" }
        return ", up \(Figure.duration(.seconds(Int64(moment.unixTime) - start)))"
    }

    /// A dot in the colour of the state, so that the tab of a browser shows it.
    private var icon: HTML {
        let colour: HTML =
            switch readiness {
            case .ready: "2e9e5b"
            case .notReady: "d93b3b"
            case .draining: "c98a04"
            }
        return """
            <link id="icon" rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Ccircle cx=%228%22 cy=%228%22 r=%227%22 fill=%22%23\(colour)%22/%3E%3C/svg%3E" />
            """
    }
}
