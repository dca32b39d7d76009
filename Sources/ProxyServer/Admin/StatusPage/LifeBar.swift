/// The life of a token as a bar: what has passed, the mark of its refresh, and the rest until its end.
struct LifeBar {
    let begin: ContinuousClock.Instant
    let refresh: ContinuousClock.Instant?
    let end: ContinuousClock.Instant
    let now: ContinuousClock.Instant

    private static let width = 1_000

    var svg: HTML {
        let past = place(now)
        let mark: HTML
        let zone: HTML
        if let refresh {
            let place = place(refresh)
            zone = "<rect class=\"zone\" x=\"\(place)\" width=\"\(Self.width - place)\" height=\"12\" />"
            mark = "<rect class=\"mark\" x=\"\(max(0, place - 2))\" width=\"4\" height=\"12\" />"
        } else {
            (zone, mark) = ("", "")
        }
        let tone: HTML = refresh.map { now >= $0 } ?? true ? "late" : "past"
        let label = "\(past / 10) % of the token's life has passed"
        return """
            <svg class="life" viewBox="0 0 \(Self.width) 12" preserveAspectRatio="none" role="img" aria-label="\(label)"><title>\(label)</title><rect class="track" width="\(Self.width)" height="12" />\(zone)<rect class="\(tone)" width="\(past)" height="12" />\(mark)</svg>
            """
    }

    /// The place of an instant in the bar, from 0 to its width.
    private func place(_ instant: ContinuousClock.Instant) -> Int {
        let life = end - begin
        guard life > .zero else { return Self.width }
        return Int((min(1, max(0, (instant - begin) / life)) * Double(Self.width)).rounded())
    }
}
