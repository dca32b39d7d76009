/// Finds the end of a head that arrives in pieces, and reads each byte once.
///
/// Used only after a first `parse` found the head incomplete. Parsing again for every piece would read a head that
/// arrives byte by byte a thousand times.
package struct HeadScanner: Sendable {
    private let headBytes: Int
    private let lineLimit: Int
    private var scanned = 0
    private var lineStart = 0
    private var lines = 0
    private var isFound = false

    package init(limits: HeadLimits = HeadLimits()) {
        headBytes = limits.headBytes
        // The field lines, the start line, and an empty line before it.
        lineLimit = limits.fieldCount + 2
    }

    /// Reads all bytes received so far and says whether to parse them now.
    ///
    /// True once the head is complete, breaks a limit, or contains a line end that will be refused.
    package mutating func scan(_ bytes: Span<UInt8>) -> Bool {
        if bytes.count < scanned { self = HeadScanner(headBytes: headBytes, lineLimit: lineLimit) }
        while !isFound {
            let lineFeed = bytes.first(ASCII.lineFeed, from: scanned, to: bytes.count)
            scanned = lineFeed
            guard lineFeed < bytes.count else { break }
            lineEnded(bytes, at: lineFeed)
            scanned += 1
        }
        if bytes.count >= headBytes { isFound = true }
        return isFound
    }

    private init(headBytes: Int, lineLimit: Int) {
        self.headBytes = headBytes
        self.lineLimit = lineLimit
    }

    private mutating func lineEnded(_ bytes: Span<UInt8>, at index: Int) {
        let isBare = index == 0 || bytes[index - 1] != ASCII.carriageReturn
        let isEmpty = index - lineStart == 1
        lines += 1
        isFound = isBare || (isEmpty && lines > 1) || lines > lineLimit
        lineStart = index + 1
    }
}

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
