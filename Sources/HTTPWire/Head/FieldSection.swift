/// Reads field lines up to the empty line that ends them (RFC 9112 section 5).
enum FieldSection {
    /// Fills `fields` and `facts`, and returns the offset after the empty line; nil if the bytes end before the section
    /// does.
    static func parse(
        _ bytes: Span<UInt8>, at start: Int, upTo end: Int, atMost limit: Int, into fields: FieldLines,
        noting facts: inout FieldFacts
    ) throws(MessageError) -> Int? {
        let isKnown = fields.section.matches(bytes, at: start, to: end)
        if isKnown, fields.repeats(at: start, atMost: limit) {
            let (byteCount, known) = fields.section.content(at: start)
            facts = known
            return start &+ byteCount
        }
        fields.removeAll()
        let takesUp = fields.known.takesUp()
        var index = start
        while index < end {
            if bytes[index] == ASCII.carriageReturn {
                guard let next = try LineEnd.skip(bytes, at: index, upTo: end) else { return nil }
                if isKnown {
                    fields.section.linesWereParsed(at: start, facts)
                } else if takesUp {
                    fields.section.note(bytes, from: start, to: next, facts)
                }
                return next
            }
            // Before any loop over the fields, so that a large number of them is not expensive.
            let position = fields.count
            guard position < limit else { throw .tooManyFields }
            let knownCount = fields.known.match(bytes, at: index, to: end, position: position)
            if knownCount > 0 {
                let line = fields.known.line(at: index, position: position)
                try facts.note(line, in: bytes)
                fields.append(line)
                index &+= knownCount
                continue
            }

            let nameStart = index
            index = ByteScan.endOfToken(bytes, from: index, to: end)
            guard index < end else { return nil }
            guard bytes[index] == UInt8(ascii: ":"), index > nameStart else {
                throw nameFault(bytes[index], isFirst: index == nameStart)
            }
            let nameEnd = index

            index &+= 1
            while index < end, ASCII.isWhitespace(bytes[index]) { index &+= 1 }
            let valueStart = index
            index = bytes.endOfFieldContent(from: index, to: end)
            guard index < end else { return nil }
            guard bytes[index] == ASCII.carriageReturn else {
                throw LineEnd.fault(bytes[index], else: .malformedFieldValue)
            }
            var valueEnd = index
            while valueEnd > valueStart, ASCII.isWhitespace(bytes[valueEnd &- 1]) { valueEnd &-= 1 }
            guard let next = try LineEnd.skip(bytes, at: index, upTo: end) else { return nil }

            let name = ByteRange(nameStart, nameEnd)
            let line = FieldLine(
                name: name, value: ByteRange(valueStart, valueEnd), known: FieldName(bytes, name),
                isCanonical: valueStart == nameEnd &+ 2 && valueEnd == index && bytes[nameEnd &+ 1] == ASCII.space)
            try facts.note(line, in: bytes)
            fields.append(line)
            if takesUp { fields.known.note(line, in: bytes, to: next, position: position) }
            index = next
        }
        return nil
    }

    /// Why this byte cannot follow the name or begin it.
    static func nameFault(_ byte: UInt8, isFirst: Bool) -> MessageError {
        switch byte {
        case ASCII.lineFeed: .bareLineFeed
        case ASCII.space, ASCII.tab: isFirst ? .foldedField : .spaceBeforeColon
        default: .malformedFieldName
        }
    }
}
