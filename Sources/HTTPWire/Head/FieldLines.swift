/// The field lines of one head, in the order of their arrival.
///
/// A head only refers to them. A caller that parses one head after the other passes the same object to each parse,
/// which discards the lines of the head before. So no head costs an allocation or a large copy. The generation tells
/// whether a head is the newest. Confined to one thread.
@usableFromInline package final class FieldLines {
    package static let capacity = 128

    @inlinable package var count: Int { counts[0] }
    /// The number of heads parsed into this object.
    @inlinable var generation: Int { counts[1] }
    /// Slots, because a class's variable would be checked for exclusive access at every line.
    @usableFromInline let counts = Slots(repeating: 0, count: 2)
    @usableFromInline let lines: Slots<FieldLine>
    /// The authority of the last absolute target, which the next target often repeats.
    let authority = KnownAuthority()
    /// The lines of an earlier head.
    let known = KnownLines()
    /// All lines of an earlier head.
    let section = KnownSection()
    private let forwarded = ForwardedLines()
    /// For each name's raw value, the position of its first line, or `nowhere`.
    private let firstPositions = Slots<UInt8>(repeating: nowhere, count: nameCount)

    private static let nameCount = FieldName.allCases.count
    private static let nowhere = UInt8(capacity)

    package init() {
        let empty = ByteRange(0, 0)
        lines = Slots(
            repeating: FieldLine(name: empty, value: empty, known: .other, isCanonical: false), count: Self.capacity)
    }

    /// The line at a position below `count`.
    @inlinable package subscript(_ index: Int) -> FieldLine {
        precondition(index < count, "a field line is read that the head does not have")
        return lines[index]
    }

    package func contains(_ name: FieldName) -> Bool {
        name != .other && firstPositions[Int(name.rawValue)] < UInt8(Self.capacity)
    }

    /// The first line of that name; nil for `other`.
    package func first(_ name: FieldName) -> FieldLine? {
        contains(name) ? self[Int(firstPositions[Int(name.rawValue)])] : nil
    }

    /// Appends what these lines became when they were forwarded under the same rule before; false if that is unknown.
    ///
    /// The rule is a number that names all that decides, besides the lines, what they become.
    package func appendForwarded(rule: Int, to out: inout OutputBuffer) -> Bool {
        guard let number = section.held else { return false }
        return forwarded.append(section: number, rule: rule, to: &out)
    }

    /// Keeps the end of `out` from `start` on as what these lines became, if other heads are likely to repeat them.
    package func noteForwarded(rule: Int, _ out: borrowing OutputBuffer, from start: Int) {
        guard let number = section.held else { return }
        forwarded.note(section: number, rule: rule, out, from: start)
    }

    /// Begins a head whose lines are those of the known section, if these lines are still here; `start` says where the
    /// section begins in the new head.
    @inline(__always)
    func repeats(at start: Int, atMost limit: Int) -> Bool {
        guard let distance = section.distance(to: start), count <= limit else { return false }
        if distance != 0 {
            for index in 0..<count { lines[index] = lines[index].moved(by: distance) }
        }
        counts[1] &+= 1
        return true
    }

    func removeAll() {
        section.linesWereDropped()
        // Resets only what the last head has set.
        for index in 0..<count where lines[index].known != .other {
            firstPositions[Int(lines[index].known.rawValue)] = UInt8(Self.capacity)
        }
        counts[0] = 0
        counts[1] &+= 1
    }

    /// Appends a line; the caller has checked that `count` is below the limit, which is at most `capacity`.
    func append(_ line: FieldLine) {
        let position = count
        if line.known != .other {
            let name = Int(line.known.rawValue)
            if firstPositions[name] == UInt8(Self.capacity) {
                firstPositions[name] = UInt8(truncatingIfNeeded: position)
            }
        }
        lines[position] = line
        counts[0] = position &+ 1
    }
}
