/// The field lines of an earlier head as a whole: if the next head has the same bytes, none of its lines is looked at.
///
/// Most heads of an app, and of a backend within a second, differ in their first line only. A section of at most 1 KiB
/// is kept, including an app's own credentials, until another replaces it. Confined to one thread.
struct KnownSection: ~Copyable {
    struct State: BitwiseCopyable {
        /// The length of the section including its empty line; 0 if no section is known.
        var byteCount = 0
        /// Whether the owner still has the lines of the section, with the ranges of a head in which it began at `start`.
        var isHeld = false
        /// How many sections have been kept, this one included.
        var number = 0
        var start = 0
        var facts = FieldFacts()
        /// The framing that the section means in HTTP/1.1; nil before it is read.
        var transfer: TransferFields?
    }

    /// The bytes of the section.
    private let bytes = Slots<UInt8>(repeating: 0, count: capacity)
    private let state = Slots(repeating: State(), count: 1)

    private static let capacity = 1024

    /// Whether the bytes from `start` on begin with the section.
    @inline(__always)
    func matches(_ bytes: Span<UInt8>, at start: Int, to end: Int) -> Bool {
        let count = state[0].byteCount
        guard count > 0, end &- start >= count else { return false }
        return self.bytes.holds(bytes, from: start, count: count, at: 0)
    }

    /// How far the lines that the owner has must be moved for a section at `start`; nil if it has other lines.
    @inline(__always)
    func distance(to start: Int) -> Int? { state[0].isHeld ? start &- state[0].start : nil }

    /// The section's length and facts for a head in which it begins at `start`.
    @inline(__always)
    func content(at start: Int) -> (byteCount: Int, facts: FieldFacts) {
        if state[0].start != start {
            state[0].facts.move(by: start &- state[0].start)
            state[0].start = start
        }
        return (state[0].byteCount, state[0].facts)
    }

    /// The framing that the section means in HTTP/1.1, if the owner has its lines and it was read before.
    var transfer: TransferFields? {
        get { state[0].isHeld ? state[0].transfer : nil }
        nonmutating set { if state[0].isHeld { state[0].transfer = newValue } }
    }

    /// The number of the section if the owner has its lines, else nil.
    var held: Int? { state[0].isHeld ? state[0].number : nil }

    /// The owner's lines are being replaced.
    func linesWereDropped() { state[0].isHeld = false }

    /// The owner has the lines of the section again, parsed from a head in which it began at `start`.
    func linesWereParsed(at start: Int, _ facts: FieldFacts) {
        state[0].isHeld = true
        state[0].start = start
        state[0].facts = facts
    }

    /// Keeps a section whose lines the owner has, unless it is too short or too long to be worth it.
    func note(_ bytes: Span<UInt8>, from start: Int, to end: Int, _ facts: FieldFacts) {
        let count = end - start
        guard 8...Self.capacity ~= count else {
            state[0].byteCount = 0
            return
        }
        self.bytes.keep(bytes, from: start, count: count, at: 0)
        state[0].byteCount = count
        state[0].number += 1
        state[0].transfer = nil
        linesWereParsed(at: start, facts)
    }
}
