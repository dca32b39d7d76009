/// A reader of pages that are XML as well as HTML, and that fails on everything a browser would have to repair.
struct MarkupReader {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var elements: [String] = []
    /// The text outside of elements' tags, with its references resolved.
    private(set) var text = ""
    private var open: [String] = []

    init(_ document: String) throws {
        var rest = Substring(document)
        if rest.hasPrefix("<!DOCTYPE html>") { rest = rest.dropFirst(15) }
        while let first = rest.first {
            guard first == "<" else {
                let end = rest.firstIndex(of: "<") ?? rest.endIndex
                text += try Self.resolved(rest[..<end])
                rest = rest[end...]
                continue
            }
            let end = try Self.end(of: rest)
            let tag = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            try read(tag)
            // Their content has no references and no elements.
            if let raw = open.last, ["script", "style"].contains(raw) {
                guard let close = rest.firstRange(of: "</\(raw)>") else { throw Fault(description: "open \(raw)") }
                rest = rest[close.lowerBound...]
            }
        }
        guard open.isEmpty else { throw Fault(description: "not closed: \(open)") }
    }

    /// The end of a tag, behind the quotes of its attributes.
    private static func end(of tag: Substring) throws -> Substring.Index {
        var isQuoted = false
        for index in tag.indices {
            if tag[index] == "\"" { isQuoted.toggle() }
            if tag[index] == "<", index != tag.startIndex {
                throw Fault(description: "a < in the tag \(tag.prefix(80))")
            }
            if tag[index] == ">", !isQuoted { return index }
        }
        throw Fault(description: "a tag without an end: \(tag.prefix(80))")
    }

    private mutating func read(_ tag: Substring) throws {
        if tag.hasPrefix("/") {
            guard open.last == String(tag.dropFirst()) else {
                throw Fault(description: "\(tag) closes \(open.last ?? "nothing")")
            }
            open.removeLast()
            return
        }
        let isEmpty = tag.hasSuffix("/")
        let name = String(tag.prefix { $0 != " " && $0 != "/" })
        let attributes = tag.dropFirst(name.count).drop { $0 == " " }
        let shape = /(?:[a-zA-Z:-]+="[^"<]*" ?)*\/?/
        guard try shape.wholeMatch(in: attributes) != nil else { throw Fault(description: "attributes \(attributes)") }
        _ = try Self.resolved(attributes)
        elements.append(name)
        if !isEmpty { open.append(name) }
    }

    private static func resolved(_ text: Substring) throws -> String {
        var (out, rest) = ("", text)
        while let mark = rest.firstIndex(of: "&") {
            out += rest[..<mark]
            let known = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
            guard let reference = known.first(where: { rest[mark...].hasPrefix($0.key) }) else {
                throw Fault(description: "a bare & in \(text.prefix(80))")
            }
            out += reference.value
            rest = rest[mark...].dropFirst(reference.key.count)
        }
        return out + rest
    }
}
