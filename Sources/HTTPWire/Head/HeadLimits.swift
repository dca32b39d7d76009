/// How much head a peer may send before it is refused; values outside the ranges are moved to their nearer end.
package struct HeadLimits: Sendable {
    /// Bytes of the whole head, 1024 to 1 MiB.
    ///
    /// A request line alone over it is `targetTooLong`, anything else `headTooLarge`.
    package let headBytes: Int
    /// Field lines, 1 to `FieldLines.capacity`.
    package let fieldCount: Int

    package init(headBytes: Int = 65_536, fieldCount: Int = 100) {
        self.headBytes = min(max(headBytes, 1024), 1_048_576)
        self.fieldCount = min(max(fieldCount, 1), FieldLines.capacity)
    }
}
