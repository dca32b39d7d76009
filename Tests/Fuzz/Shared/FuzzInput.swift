/// Lends one input of the fuzzer as an array, which the address sanitizer guards at both ends.
///
/// The pointer is libFuzzer's and lives for the length of the call; nothing here keeps it.
func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}

/// Ends the process as a find if what must hold for every input does not hold for this one.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
    if !condition { fail(sentence()) }
}

/// Ends the process as a find.
func fail(_ sentence: String) -> Never {
    fatalError("invariant broken: \(sentence)")
}

extension Array where Element == UInt8 {
    init(_ text: String) { self = Array(text.utf8) }

    /// The bytes as text, each byte a character, so that nothing in them is lost.
    var latin: String { String(String.UnicodeScalarView(map { Unicode.Scalar($0) })) }

    /// The first position of `part` at or after `start`.
    func firstIndex(of part: [UInt8], from start: Int = 0) -> Int? {
        guard !part.isEmpty, count - start >= part.count else { return nil }
        for index in start...(count - part.count) where self[index] == part[0] {
            if self[index..<index + part.count].elementsEqual(part) { return index }
        }
        return nil
    }

    func occurrences(of part: [UInt8]) -> Int {
        var number = 0
        var start = 0
        while let index = firstIndex(of: part, from: start) {
            number += 1
            start = index + 1
        }
        return number
    }
}
