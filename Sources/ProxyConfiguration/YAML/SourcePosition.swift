/// A position in a text: line and column, both from 1, the column in characters.
package struct SourcePosition: Equatable, Sendable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
