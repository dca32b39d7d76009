private import CYAML

/// The events of one YAML text, in order; owns libyaml's parser.
///
/// It accepts any bytes; the events end with `.failed` at the first byte that is not YAML.
struct YAMLReader: ~Copyable {
    enum Event: Equatable {
        /// Why the text is not YAML; the message contains no byte of it.
        case failed(String)
        case end
        case documentStart
        case documentEnd
        case alias
        case scalar(text: String, isPlain: Bool)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    struct Step {
        let event: Event
        let position: SourcePosition
        let hasAnchor: Bool
        let hasTag: Bool
    }

    private let reader: cyaml_reader
    private let isComplete: Bool

    init(_ bytes: [UInt8]) {
        let reader = cyaml_open()
        self.reader = reader
        isComplete = bytes.allSatisfy { cyaml_append(reader, $0) }
    }

    deinit {
        cyaml_close(reader)
    }

    mutating func next() -> Step {
        guard isComplete else {
            return Step(
                event: .failed("out of memory"), position: SourcePosition(line: 1, column: 1), hasAnchor: false,
                hasTag: false)
        }
        let found = cyaml_next(reader)
        let event: Event =
            switch found.kind {
            case .failed: .failed(text(found.text_count))
            case .end: .end
            case .document_start: .documentStart
            case .document_end: .documentEnd
            case .alias: .alias
            case .scalar: .scalar(text: text(found.text_count), isPlain: found.is_plain)
            case .sequence_start: .sequenceStart
            case .sequence_end: .sequenceEnd
            case .mapping_start: .mappingStart
            case .mapping_end: .mappingEnd
            }
        return Step(
            event: event, position: SourcePosition(line: Int(found.line), column: Int(found.column)),
            hasAnchor: found.has_anchor, hasTag: found.has_tag)
    }

    private func text(_ count: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count {
            bytes.append(cyaml_text_byte(reader, index))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
