/// Collects the problems of a configuration while it is read, so that a person sees all of them at once.
///
/// Confined to the call that loads. A reader adds a problem here and continues with nil.
final class ProblemList {
    private var problems: [Problem] = []

    var isEmpty: Bool { problems.isEmpty }
    var count: Int { problems.count }

    /// The problems without a file first, then by line and column.
    var sorted: [Problem] {
        problems.enumerated().sorted { left, right in
            let leftKey = (left.element.line ?? 0, left.element.column ?? 0, left.offset)
            let rightKey = (right.element.line ?? 0, right.element.column ?? 0, right.offset)
            return leftKey < rightKey
        }.map(\.element)
    }

    func add(_ place: Place, _ message: String) {
        problems.append(place.problem(message))
    }
}
