/// A start line and its fields; nil where the bytes hold no whole head that is one beyond doubt.
struct PlainHead {
    var startLine = ""
    /// The names in lower case.
    var fields: [(name: String, value: String)] = []
    var end = 0

    init?(_ bytes: [UInt8], from start: Int, skippingEmptyLine: Bool = false) {
        var start = start
        if skippingEmptyLine, bytes[start...].starts(with: [13, 10]) { start += 2 }
        guard let close = bytes.firstIndex(of: Array("\r\n\r\n"), from: start) else { return nil }
        end = close + 4
        var lines = Array(bytes[start..<close]).latin.unicodeScalars.split(
            separator: "\r", omittingEmptySubsequences: false
        ).map { String(String.UnicodeScalarView($0)) }
        startLine = lines.removeFirst()
        for line in lines {
            guard line.unicodeScalars.first == "\n", let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[line.unicodeScalars.index(after: line.startIndex)..<colon]
            fields.append((name.lowercased(), String(line[line.index(after: colon)...]).trimmingSpaces))
        }
    }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// The body behind a head; nil where its framing is none beyond doubt.
struct PlainBody {
    var content: [UInt8] = []
    var isComplete = false
    /// Where it ends, or the end of the bytes.
    var end: Int
    /// Whether only the end of the stream ends it.
    var endsWithStream = false
    /// What should be a chunk is none; the content is what came before it.
    var isMalformed = false

    init?(_ bytes: [UInt8], from start: Int, _ head: PlainHead, endsWithStream: Bool) {
        let lengths = head.values("content-length")
        let codings = head.values("transfer-encoding")
        guard lengths.count + codings.count <= 1 else { return nil }
        end = bytes.count
        if let length = lengths.first {
            guard let count = Int(length), count >= 0 else { return nil }
            content = Array(bytes[start...].prefix(count))
            isComplete = content.count == count
            end = start + content.count
        } else if let coding = codings.first {
            guard coding.lowercased() == "chunked" else { return nil }
            isMalformed = !chunks(bytes, from: start)
        } else if endsWithStream {
            content = Array(bytes[start...])
            self.endsWithStream = true
        } else {
            isComplete = true
            end = start
        }
    }

    /// False where the bytes are no chunks.
    private mutating func chunks(_ bytes: [UInt8], from start: Int) -> Bool {
        var index = start
        while let lineEnd = bytes.firstIndex(of: [13, 10], from: index) {
            let line = Array(bytes[index..<lineEnd]).latin
            let digits = line.prefix { $0.isASCII && $0.isHexDigit }
            guard let size = Int(digits, radix: 16) else { return false }
            index = lineEnd + 2
            guard size > 0 else { return trailers(bytes, from: index) }
            content += bytes[index...].prefix(size)
            guard bytes.count - index - 2 >= size else { return true }
            index += size
            guard bytes[index...].starts(with: [13, 10]) else { return false }
            index += 2
        }
        return true
    }

    private mutating func trailers(_ bytes: [UInt8], from start: Int) -> Bool {
        var index = start
        while let lineEnd = bytes.firstIndex(of: [13, 10], from: index) {
            if lineEnd == index {
                isComplete = true
                end = index + 2
                return true
            }
            index = lineEnd + 2
        }
        return true
    }
}

extension StringProtocol {
    var trimmingSpaces: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
