import ProxyConfiguration
import ProxyCore

/// The routes on the status page, each with its rate, errors and latency.
extension StatusPage {
    /// How many routes are shown; those with requests come first if there are more.
    private static let routeLimit = 100

    /// What is shown of one route, or of the requests without one.
    private struct Row {
        /// The name; nil for requests without a route.
        let name: String?
        let text: String
        let number: Int?
    }

    var routeSection: HTML {
        let routes = zip(configuration.routes, numbers.routes).map {
            Row(name: $0.name, text: ConfigurationSummary.text(of: $0), number: $1)
        }
        var rows = routes
        if rows.count > Self.routeLimit {
            rows = rows.filter { traffic.steps[$0.number] != nil } + rows.filter { traffic.steps[$0.number] == nil }
            rows = Array(rows.prefix(Self.routeLimit))
        }
        let left = routes.count - rows.count
        if !metrics[nil].statuses.isEmpty {
            let text = "requests that no route takes, which are \(summary.unmatched)"
            rows.append(Row(name: nil, text: text, number: nil))
        }
        let more: HTML =
            left == 0
            ? ""
            : "<p class=\"quiet\">\(Figure.count(left, "more route")): see <a href=\"/routes\">/routes</a>.</p>"
        let empty: HTML = routes.isEmpty ? "<p class=\"quiet\">The configuration has no route.</p>" : ""
        return """
            <h2>Routes <small>\(routes.count); charts of the last \(Figure.duration(traffic.counted)), figures of the last minute</small></h2>
            \(empty)<div class="routes">\(rows.map(card))</div>
            \(more)
            """
    }

    private func card(_ row: Row) -> HTML {
        let name: HTML = row.name.map { "<h3>\($0)</h3>" } ?? "<h3>Without a route</h3>"
        return """
            <article class="card route" data-name="\(row.name ?? "")">
            <div>\(name)
            <p class="quiet">\(row.text)</p>
            <p class="quiet">\(totals(metrics[row.number]))</p></div>
            \(charts(of: row.number))
            </article>
            """
    }

    /// All requests since the start, by status.
    private func totals(_ metrics: RouteMetrics) -> HTML {
        guard !metrics.statuses.isEmpty else { return "no request since the start" }
        let statuses = metrics.statuses.sorted { $0.status < $1.status }.map { status, count -> HTML in
            let tone: HTML = status >= 500 || status == 0 ? "one alarm" : "one"
            return " · <span class=\"\(tone)\">\(status == 0 ? "cut" : "\(status)"): \(Figure.grouped(count))</span>"
        }
        let retries = Retry.allCases.reduce(0) { $0 + metrics.retries[$1] }
        let resent = retries > 0 ? " · sent again: \(Figure.grouped(retries))" : ""
        return "since the start\(statuses)\(resent)"
    }

    private func charts(of number: Int?) -> HTML {
        let steps = traffic.chart(of: number)
        guard !steps.isEmpty else {
            return "<p class=\"quiet\">No request in the last \(Figure.duration(traffic.counted)).</p>"
        }
        return """
            <div class="charts">
            \(rate(number, steps))
            \(errors(number, steps))
            \(latency(number, steps))
            </div>
            """
    }

    private func rate(_ number: Int?, _ steps: [Traffic]) -> HTML {
        let most = Figure.grouped(steps.map(\.requests).max() ?? 0)
        let chart = Chart(
            layers: [Chart.Layer(kind: "bar", values: steps.map { Double($0.requests) })],
            label: "requests in each 10 s, at most \(most)")
        let rate = Figure.rate(traffic.lastMinute(of: number).requests, in: traffic.lastMinuteSeconds)
        return "<figure><figcaption><b>\(rate)</b>requests</figcaption>\(chart.svg)</figure>"
    }

    private func errors(_ number: Int?, _ steps: [Traffic]) -> HTML {
        let all = steps.map { $0.clientErrors + $0.failures }
        let chart = Chart(
            layers: [
                Chart.Layer(kind: "amber", values: all.map(Double.init)),
                Chart.Layer(kind: "red", values: steps.map { Double($0.failures) }),
            ],
            label: "responses 4xx (yellow), 5xx and cut ones (red), \(Figure.grouped(all.reduce(0, +))) in all")
        let minute = traffic.lastMinute(of: number)
        let share = Figure.percent(minute.clientErrors + minute.failures, of: minute.requests)
        let tone: HTML = minute.failures > 0 ? " class=\"alarm\"" : ""
        return "<figure><figcaption><b\(tone)>\(share)</b>errors</figcaption>\(chart.svg)</figure>"
    }

    private func latency(_ number: Int?, _ steps: [Traffic]) -> HTML {
        let slow = steps.map { $0.durations.quantile(0.95) ?? 0 }
        // A few slow requests may lift the mean over the percentile, which the bars behind it would not show.
        let means = zip(steps, slow).map { min($0.durations.mean ?? 0, $1) }
        let most = Figure.latency(nanoseconds: slow.max() ?? 0)
        let chart = Chart(
            layers: [Chart.Layer(kind: "soft", values: slow), Chart.Layer(kind: "bar", values: means)],
            label: "latency: mean (dark) and 95th percentile (light), at most \(most)")
        let minute = traffic.lastMinute(of: number).durations
        let mean = minute.mean.map { Figure.latency(nanoseconds: $0) } ?? "–"
        let tail = minute.quantile(0.95).map { ", 95 % in \(Figure.latency(nanoseconds: $0))" } ?? ""
        return "<figure><figcaption><b>\(mean)</b>latency\(tail)</figcaption>\(chart.svg)</figure>"
    }
}
