/// Field lines that were found valid, by their position in the head: if the next head has the same bytes, they need
/// not be parsed again.
///
/// Most heads of an app, and of a backend, repeat most lines of the head before. Lines of at most 128 bytes are kept,
/// including an app's own credentials, until others replace them. Confined to one thread.
struct KnownLines: ~Copyable {
    /// The bytes of each line.
    private let bytes = Slots<UInt8>(repeating: 0, count: capacity * bytesPerLine)
    /// The length of each line including its CR LF; 0 if no line is known.
    private let byteCounts = Slots(repeating: 0, count: capacity)
    /// Each line, with ranges relative to its start.
    private let lines: Slots<FieldLine>
    private let heads = Slots(repeating: 0, count: 1)

    private static let capacity = 32
    private static let bytesPerLine = 128
    /// Only every eighth head is stored, so that heads that keep changing do not cost much.
    private static let interval = 8

    init() {
        let empty = ByteRange(0, 0)
        lines = Slots(
            repeating: FieldLine(name: empty, value: empty, known: .other, isCanonical: false), count: Self.capacity)
    }

    /// Begins a head.
    ///
    /// - Returns: whether to store its lines.
    @inline(__always)
    func takesUp() -> Bool {
        heads[0] = heads[0] &+ 1
        return heads[0] & (Self.interval &- 1) == 0
    }

    /// The length of the stored line if the bytes at `start` equal it, else 0.
    @inline(__always)
    func match(_ bytes: Span<UInt8>, at start: Int, to end: Int, position: Int) -> Int {
        guard position < Self.capacity else { return 0 }
        let count = byteCounts[position]
        guard count > 0, end &- start >= count else { return 0 }
        return self.bytes.holds(bytes, from: start, count: count, at: position &* Self.bytesPerLine) ? count : 0
    }

    /// The known line at this position, moved to where it begins now.
    @inline(__always)
    func line(at start: Int, position: Int) -> FieldLine {
        lines[position].moved(by: start)
    }

    /// Keeps a line, unless it is too short or too long to be worth it.
    func note(_ line: FieldLine, in bytes: Span<UInt8>, to end: Int, position: Int) {
        guard position < Self.capacity else { return }
        let start = line.name.lowerBound
        let count = end - start
        guard 8...Self.bytesPerLine ~= count else {
            byteCounts[position] = 0
            return
        }
        self.bytes.keep(bytes, from: start, count: count, at: position * Self.bytesPerLine)
        byteCounts[position] = count
        lines[position] = line.moved(by: -start)
    }
}
