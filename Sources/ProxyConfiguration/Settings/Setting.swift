/// One value of the configuration with its place, from any source.
///
/// Each method that reads it returns nil after it has reported why the value is unusable.
struct Setting {
    let node: YAMLNode
    let place: Place

    init(node: YAMLNode, place: Place) {
        self.node = node
        self.place = place
    }

    /// A value from the environment or the command line.
    init(text: String, place: Place) {
        let start = SourcePosition(line: 1, column: 1)
        let plain = YAMLNode(content: .scalar(text: text, isPlain: true), position: start)
        // `~` and `null` mean nil in YAML only.
        node = plain.isNull ? YAMLNode(content: .scalar(text: text, isPlain: false), position: start) : plain
        self.place = place
    }

    /// Reports that the value is unusable, and quotes it unless it may be a secret.
    func refuse(_ problems: ProblemList, _ message: String) {
        guard case .scalar(let text, _) = node.content, !node.isNull else { return problems.add(place, message) }
        let isQuoted = !place.isNearSecrets || text.contains("://")
        problems.add(place, isQuoted ? message + ValueQuotation.suffix(text) : message)
    }

    /// One line of text, not empty.
    ///
    /// A shell variable is refused, except in a secret, which may hold any characters.
    func text(_ problems: ProblemList, what: String = "a text", isSecret: Bool = false) -> String? {
        guard let text = scalar(problems, what: what)?.text else { return nil }
        // A block scalar (`|`) always ends in a line break.
        let line = text.utf8.last == UInt8(ascii: "\n") ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
        guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            problems.add(place, "contains a line break or another control character; write one line of plain text")
            return nil
        }
        guard !line.isEmpty else {
            problems.add(place, "is empty; write \(what) or leave the key out")
            return nil
        }
        if !isSecret, let name = VariableReference.first(in: line) {
            problems.add(place, "contains ${\(name)}, and variables are not replaced here; write the value itself")
            return nil
        }
        return line
    }

    /// Lines of text, not empty, without the line break at their end.
    func lines(_ problems: ProblemList, what: String) -> String? {
        guard let text = scalar(problems, what: what)?.text else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x0a || $0 == 0x0d }) else {
            problems.add(place, "contains a control character; write plain text")
            return nil
        }
        guard text.utf8.contains(where: { $0 > 0x20 }) else {
            problems.add(place, "is empty; write \(what) or leave the key out")
            return nil
        }
        return text.utf8.last == 0x0a ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    }

    /// A text that `parse` understands; `isSecret` keeps it out of the message.
    func parsed<Value>(
        _ problems: ProblemList, what: String = "a text", isSecret: Bool = false,
        _ parse: (String) throws(ValueError) -> Value
    ) -> Value? {
        guard let text = text(problems, what: what, isSecret: isSecret) else { return nil }
        do throws(ValueError) {
            return try parse(text)
        } catch {
            if isSecret { problems.add(place, error.message) } else { refuse(problems, error.message) }
            return nil
        }
    }

    func boolean(_ problems: ProblemList) -> Bool? {
        guard let (text, isPlain) = scalar(problems, what: "true or false") else { return nil }
        switch (text, isPlain) {
        case ("true", true): return true
        case ("false", true): return false
        default:
            refuse(problems, "is not a boolean; write true or false, without quotes")
            return nil
        }
    }

    func integer(_ range: ClosedRange<Int>, _ problems: ProblemList) -> Int? {
        guard let (text, isPlain) = scalar(problems, what: "a number") else { return nil }
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard isPlain, !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            refuse(problems, "is not a number; write a whole number without quotes and unit")
            return nil
        }
        guard let number = Int(text), range.contains(number) else {
            refuse(problems, "is out of range; write a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    func duration(_ range: ClosedRange<Duration>, _ problems: ProblemList) -> Duration? {
        let duration = parsed(problems, what: "a duration as in 10s", DurationText.parse)
        return bounded(duration, range, problems, what: "a duration", DurationText.format)
    }

    func size(_ range: ClosedRange<Int>, _ problems: ProblemList) -> Int? {
        let size = parsed(problems, what: "a size as in 64KiB", SizeText.parse)
        return bounded(size, range, problems, what: "a size", SizeText.format)
    }

    private func bounded<Value: Comparable>(
        _ value: Value?, _ range: ClosedRange<Value>, _ problems: ProblemList, what: String, _ text: (Value) -> String
    ) -> Value? {
        guard let value else { return nil }
        guard range.contains(value) else {
            let bounds = (text(range.lowerBound), text(range.upperBound))
            refuse(problems, "is out of range; write \(what) from \(bounds.0) to \(bounds.1)")
            return nil
        }
        return value
    }

    /// One of a few words; `elsewhere` are the words of other programs for Attaché's.
    func word<Word: RawRepresentable & CaseIterable>(
        _: Word.Type, elsewhere: [String: Word] = [:], _ problems: ProblemList
    ) -> Word? where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        let choices = KnownWords.list(words)
        guard let text = text(problems, what: choices) else { return nil }
        if let word = Word(rawValue: text) { return word }
        if let meant = elsewhere[text]?.rawValue ?? WordSuggestion.nearest(to: text, among: words) {
            refuse(problems, "is not one of \(choices); did you mean \(meant)?")
        } else {
            refuse(problems, "is not a known word; write \(choices)")
        }
        return nil
    }

    func items(_ problems: ProblemList) -> [Setting]? {
        switch node.content {
        case .sequence(let nodes):
            return nodes.enumerated().map { Setting(node: $1, place: place.item($0, at: $1.position)) }
        case .scalar, .mapping:
            problems.add(
                place, node.isNull ? "has no value; write a list" : "is not a list; begin each item with \"- \"")
            return nil
        case .refused: return nil
        }
    }

    private func scalar(_ problems: ProblemList, what: String) -> (text: String, isPlain: Bool)? {
        switch node.content {
        case .scalar(let text, let isPlain):
            guard node.isNull else { return (text, isPlain) }
            problems.add(place, "has no value; write \(what) or leave the key out")
            return nil
        case .sequence:
            problems.add(place, "is a list; write \(what)")
            return nil
        case .mapping:
            problems.add(place, "is a mapping; write \(what)")
            return nil
        case .refused: return nil
        }
    }
}

/// Lists of choices in messages.
enum KnownWords {
    /// `a`, `a or b`, `a, b or c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
