/// The size of a finding's detail: it stands in the log, in `/readyz` and on the status page.
package enum DetailText {
    /// The size in Unicode scalars, without the ellipsis.
    static let limit = 1000
    /// The part of `limit` for a list of problems, which stands inside a sentence.
    private static let listLimit = 900

    /// The beginning of a long text, with an ellipsis in place of the rest.
    static func shortened(_ text: String, to limit: Int = limit) -> String {
        // The number of bytes is known, and the number of scalars is not greater.
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        return "\(String(text.unicodeScalars.prefix(limit)))…"
    }

    /// The lines in one, as far as they fit, and the number of the others.
    package static func list(ofLines text: String) -> String {
        let lines = text.split(separator: "\n").map { String($0) }
        var kept = lines.prefix(1).map { shortened($0, to: listLimit) }
        var size = kept.reduce(0) { $0 + $1.unicodeScalars.count }
        for line in lines.dropFirst() {
            size += line.unicodeScalars.count + 2
            guard size <= listLimit else { break }
            kept.append(line)
        }
        let rest = lines.count - kept.count
        let further = rest == 0 ? [] : ["… and \(rest) more \(rest == 1 ? "problem" : "problems")"]
        return (kept + further).joined(separator: "; ")
    }
}
