/// A value of a YAML text with the position of its beginning.
///
/// No type is guessed: a scalar keeps its text, and `isPlain` tells whether it had no quotes.
struct YAMLNode: Equatable {
    enum Content: Equatable {
        case scalar(text: String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
        /// The value was an anchor, alias or tag, which has been reported.
        case refused
    }

    let content: Content
    let position: SourcePosition

    /// Whether there is no value: nothing, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }
}

/// One key of a YAML mapping with its value; the reader of the mapping reports a key that occurs twice.
struct YAMLEntry: Equatable {
    let key: String
    let keyPosition: SourcePosition
    let value: YAMLNode
}

/// A position in a text: line and column, both from 1, the column in characters.
package struct SourcePosition: Equatable, Sendable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
