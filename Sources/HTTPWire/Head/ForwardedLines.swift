/// The lines of a known section as they were forwarded: while heads repeat the section, they are copied at once.
///
/// At most 1 KiB is kept, including the values of the fields, until other lines replace it. Confined to one thread.
struct ForwardedLines: ~Copyable {
    private let bytes = Slots<UInt8>(repeating: 0, count: capacity)
    private let slots = Slots(repeating: nothing, count: 3)

    private static let capacity = 1024
    private static let nothing = -1

    /// The number of the section.
    private var section: Int {
        get { slots[0] }
        nonmutating set { slots[0] = newValue }
    }
    /// The rule by which the lines were forwarded.
    private var rule: Int {
        get { slots[1] }
        nonmutating set { slots[1] = newValue }
    }
    /// The length of the forwarded lines, which may be 0; negative if none are kept.
    private var byteCount: Int {
        get { slots[2] }
        nonmutating set { slots[2] = newValue }
    }

    /// Appends what the section became under the rule; false if that is not kept.
    func append(section: Int, rule: Int, to out: inout OutputBuffer) -> Bool {
        guard byteCount >= 0, self.section == section, self.rule == rule else { return false }
        out.append(copying: bytes, count: byteCount)
        return true
    }

    /// Keeps the end of `out` from `start` on as what the section became, unless it is too long.
    func note(section: Int, rule: Int, _ out: borrowing OutputBuffer, from start: Int) {
        byteCount = Self.nothing
        guard out.count - start <= Self.capacity else { return }
        bytes.keep(out, from: start)
        self.section = section
        self.rule = rule
        byteCount = out.count - start
    }
}
