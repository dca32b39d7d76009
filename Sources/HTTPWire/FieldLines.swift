/// The field lines of one head in the order in which they came.
///
/// The first `inlineCapacity` lie in the value itself, so an ordinary head costs no allocation; only a longer one
/// moves the rest to an array. All of `capacity` inline would make every copy of a head one of 2.5 KiB, which takes
/// longer than parsing it.
package struct FieldLines: Sendable {
    package static let capacity = 128
    @usableFromInline static let inlineCapacity = 24

    @usableFromInline var lines: [24 of FieldLine]
    @usableFromInline var furtherLines: [FieldLine] = []
    package private(set) var count = 0
    /// By raw value of the name: the position of its first line, or `capacity`.
    private var firstPositions = [24 of UInt8](repeating: UInt8(capacity))

    init() {
        let empty = ByteRange(0, 0)
        lines = .init(repeating: FieldLine(name: empty, value: empty, known: .other))
    }

    /// The line at a position below `count`.
    @inlinable package subscript(_ index: Int) -> FieldLine {
        precondition(0 <= index && index < count, "a field line is asked for that the head does not have")
        if index < Self.inlineCapacity { return lines.span[index] }
        return furtherLines[index - Self.inlineCapacity]
    }

    package func contains(_ name: FieldName) -> Bool {
        name != .other && firstPositions[Int(name.rawValue)] < UInt8(Self.capacity)
    }

    /// The first line of that name; `other` finds nothing.
    package func first(_ name: FieldName) -> FieldLine? {
        contains(name) ? self[Int(firstPositions[Int(name.rawValue)])] : nil
    }

    /// The caller has checked that `count` is below the limit, which is at most `capacity`.
    mutating func append(_ line: FieldLine) {
        let name = Int(line.known.rawValue)
        if firstPositions[name] == UInt8(Self.capacity) { firstPositions[name] = UInt8(truncatingIfNeeded: count) }
        if count < Self.inlineCapacity {
            lines[count] = line
        } else {
            furtherLines.append(line)
        }
        count += 1
    }
}
