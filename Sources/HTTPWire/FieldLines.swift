/// The field lines of one head in the order in which they came, kept without an allocation.
package struct FieldLines: Sendable {
    package static let capacity = 128

    @usableFromInline var lines: [128 of FieldLine]
    package private(set) var count = 0
    /// One bit for each known name that occurs, so that asking for an absent one walks nothing.
    private var present: UInt32 = 0

    init() {
        let empty = ByteRange(0, 0)
        lines = .init(repeating: FieldLine(name: empty, value: empty, known: .other))
    }

    /// The line at a position below `count`.
    @inlinable package subscript(_ index: Int) -> FieldLine { lines[index] }

    package func contains(_ name: FieldName) -> Bool { present & Self.bit(name) != 0 }

    /// The first line of that name; `other` finds nothing.
    package func first(_ name: FieldName) -> FieldLine? {
        guard contains(name) else { return nil }
        for index in 0..<count where lines[index].known == name { return lines[index] }
        return nil
    }

    /// The line of that name, where a second one would make the message ambiguous.
    func only(_ name: FieldName, orThrow error: MessageError) throws(MessageError) -> FieldLine? {
        guard contains(name) else { return nil }
        var found: FieldLine?
        for index in 0..<count where lines[index].known == name {
            guard found == nil else { throw error }
            found = lines[index]
        }
        return found
    }

    /// The caller has checked that `count` is below the limit, which is at most `capacity`.
    mutating func append(_ line: FieldLine) {
        lines[count] = line
        count += 1
        if line.known != .other { present |= Self.bit(line.known) }
    }

    private static func bit(_ name: FieldName) -> UInt32 { 1 &<< UInt32(name.rawValue) }
}
