/// A small chart of the last ten minutes: one bar for each step of ten seconds, and the running step at the right.
struct Chart {
    /// Bars of one colour, drawn over those of earlier layers.
    struct Layer {
        /// The class of the style.
        let kind: HTML
        let values: [Double]
    }

    let layers: [Layer]
    /// What the chart shows, for readers who do not see it.
    let label: String

    private static let height = 40.0

    var svg: HTML {
        let top = layers.flatMap(\.values).max() ?? 0
        let count = layers.map(\.values.count).max() ?? 0
        let paths = layers.map { layer -> HTML in
            "<path class=\"\(layer.kind)\" d=\"\(path(layer.values, top))\" />"
        }
        return """
            <svg viewBox="0 0 \(4 * count) 40" preserveAspectRatio="none" role="img" aria-label="\(label)"><title>\(label)</title>\(paths)</svg>
            """
    }

    private func path(_ values: [Double], _ top: Double) -> String {
        guard top > 0 else { return "" }
        return values.enumerated().reduce(into: "") { path, item in
            guard item.element > 0 else { return }
            let height = max(1, Int((item.element / top * (Self.height - 1)).rounded()))
            path += "M\(4 * item.offset) 40v-\(height)h3v\(height)"
        }
    }
}
