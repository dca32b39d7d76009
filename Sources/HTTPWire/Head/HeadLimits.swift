/// The limits for the heads that a peer may send; values outside the ranges are moved to the nearest bound.
package struct HeadLimits: Sendable {
    /// The size of the whole head in bytes, 1024 to 1 MiB.
    ///
    /// A request line that alone exceeds it is `targetTooLong`; every other excess is `headTooLarge`.
    package let headBytes: Int
    /// The number of field lines, 1 to `FieldLines.capacity`.
    package let fieldCount: Int

    package init(headBytes: Int = 65_536, fieldCount: Int = 100) {
        self.headBytes = min(max(headBytes, 1024), 1_048_576)
        self.fieldCount = min(max(fieldCount, 1), FieldLines.capacity)
    }
}
