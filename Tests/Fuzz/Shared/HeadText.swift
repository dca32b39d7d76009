@testable import HTTPWire

/// An accepted head read once more by a few plain rules (RFC 9112), which share no code with the parser.
struct HeadText {
    let startLine: String
    var fields: [(name: String, value: String)] = []

    /// Reads the bytes of a head from its start line to its empty line.
    init(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if bytes.starts(with: [13, 10]) { bytes = bytes.dropFirst(2) }
        require(bytes.suffix(4).elementsEqual([13, 10, 13, 10]), "a head ends with an empty line")
        var lines: [String] = []
        var line: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex - 2 {
            let byte = bytes[index]
            if byte == 13 {
                require(bytes[index + 1] == 10, "a CR is followed by LF")
                lines.append(line.latin)
                line = []
                index += 2
                continue
            }
            require(byte >= 0x20 && byte != 0x7f || byte == 9, "a head holds the control byte \(byte)")
            line.append(byte)
            index += 1
        }
        require(line.isEmpty, "the last line of a head is ended")
        require(!lines.isEmpty, "a head has a start line")
        startLine = lines.removeFirst()
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { fail("a field line has no colon") }
            let name = String(line[..<colon])
            require(Self.isToken(name), "a field name is no token")
            let value = line[line.index(after: colon)...]
            fields.append((name, Self.trimmed(value)))
        }
    }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Requires that the fields allow one way only to find the end of the body.
    func requireClearFraming(isHTTP11: Bool) {
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        require(lengths.count + codings.count <= 1, "more than one field frames the message")
        if let length = lengths.first {
            require(!length.isEmpty && length.allSatisfy { ("0"..."9").contains($0) }, "a length is not digits")
        }
        if let coding = codings.first {
            require(isHTTP11, "a transfer coding in HTTP/1.0")
            require(coding.lowercased() == "chunked", "a transfer coding other than chunked")
        }
    }

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars.contains(
                    $0)
            }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}

extension Array where Element == UInt8 {
    func text(_ range: ByteRange) -> String { Array(self[range.lowerBound..<range.upperBound]).latin }
}
