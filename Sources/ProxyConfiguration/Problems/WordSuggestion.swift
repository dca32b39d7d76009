/// Finds the word that a person probably meant.
package enum WordSuggestion {
    /// The nearest candidate, if it is near enough for the word to be a typing error.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // The cost grows with the length of the word, and a long word is near no candidate.
        guard word.utf8.count <= 64 else { return nil }
        let lowered = word.lowercased()
        var best: (word: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(Array(lowered.utf8), Array(candidate.lowercased().utf8))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(1, best.word.utf8.count / 3) else { return nil }
        return best.word
    }

    /// The number of bytes to insert, remove, replace or swap with a neighbour.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
