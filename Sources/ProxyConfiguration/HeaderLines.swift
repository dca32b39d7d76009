/// The lines of a file with fields for the collector: `Name: value`.
package struct HeaderLines: Equatable, Sendable {
    package static let byteLimit = 65_536

    /// Why a file cannot be used, as the rest of a sentence; it quotes nothing of the file.
    package struct Problem: Error, Equatable, Sendable {
        package let message: String
    }

    package let fields: [(name: String, value: String)]

    package static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    /// Reads the file's bytes; empty lines and lines that begin with `#` are ignored.
    package init(_ bytes: [UInt8]) throws(Problem) {
        var fields: [(name: String, value: String)] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Self.isOfName)
            else { throw Problem(message: "has no \"Name: value\" in line \(number + 1)") }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard !Self.own.contains(name.lowercased()) else {
                throw Problem(message: "has a field in line \(number + 1) that Attaché writes itself: \(name)")
            }
            let value = Self.trimmed(line[line.index(after: colon)...])
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
                throw Problem(message: "has a control character in line \(number + 1)")
            }
            fields.append((name, String(decoding: value, as: UTF8.self)))
        }
        self.fields = fields
    }

    private static let own = ["host", "content-length", "content-type", "connection", "transfer-encoding", "via"]

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
        var line = line
        while let first = line.first, isSpace(first) { line.removeFirst() }
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }
}
