/// The difference of two texts, as a person reads it.
package enum TextDifference {
    /// Every line of both texts in order: removed ones after `-`, added ones after `+`, common ones after a space.
    package static func lines(from old: String, to new: String) -> [String] {
        let old = old.split(separator: "\n", omittingEmptySubsequences: false)
        let new = new.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = new.difference(from: old)
        let removed = Set(difference.removals.map(\.offset))
        let added = Set(difference.insertions.map(\.offset))
        var result: [String] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex), oldIndex < old.count {
                result.append("-\(old[oldIndex])")
                oldIndex += 1
            } else if added.contains(newIndex) {
                result.append("+\(new[newIndex])")
                newIndex += 1
            } else {
                result.append(" \(new[newIndex])")
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
        return result
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _): offset
        case .remove(let offset, _, _): offset
        }
    }
}
