/// A YAML text as a tree of bounded depth; whatever a configuration cannot contain is an error with its position.
///
/// Anchors, aliases, tags, keys that are not words, and a second document are refused.
struct YAMLDocument {
    struct Fault: Error, Equatable {
        let position: SourcePosition
        let message: String
    }

    static let maximumDepth = 64

    /// Nil if the text is empty or could not be read.
    let root: YAMLNode?
    let faults: [Fault]

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    init(_ bytes: [UInt8]) {
        guard !bytes.starts(with: [0xff, 0xfe]), !bytes.starts(with: [0xfe, 0xff]) else {
            root = nil
            faults = [
                Fault(position: SourcePosition(line: 1, column: 1), message: "the file is UTF-16; save it as UTF-8")
            ]
            return
        }
        // libyaml counts a byte order mark as a column, which would indent the first line.
        let bytes = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(Self.byteOrderMark.count)) : bytes
        var composer = Composer(reader: YAMLReader(bytes))
        do throws(Fault) {
            root = try composer.document()
            faults = composer.faults
        } catch {
            root = nil
            faults = composer.faults + [error]
        }
    }

    private struct Composer: ~Copyable {
        var reader: YAMLReader
        var faults: [Fault] = []

        init(reader: consuming YAMLReader) {
            self.reader = reader
        }

        mutating func document() throws(Fault) -> YAMLNode? {
            let first = try next()
            if first.event == .end { return nil }
            let root = try node(at: try next(), depth: 1)
            _ = try next()
            let last = try next()
            guard last.event == .end else {
                throw Fault(position: last.position, message: "a second document begins here; keep one in a file")
            }
            return root
        }

        private mutating func next() throws(Fault) -> YAMLReader.Step {
            let step = reader.next()
            guard case .failed(let problem) = step.event else { return step }
            throw Fault(
                position: step.position,
                message: "not valid YAML: \(problem); look at the indentation (spaces only), the colons and the quotes")
        }

        private mutating func node(at step: YAMLReader.Step, depth: Int) throws(Fault) -> YAMLNode {
            guard depth <= YAMLDocument.maximumDepth else {
                throw Fault(
                    position: step.position,
                    message: "nested more than \(YAMLDocument.maximumDepth) levels deep; no setting needs that")
            }
            let content = try content(of: step, depth: depth)
            guard let feature = refusedFeature(of: step) else {
                return YAMLNode(content: content, position: step.position)
            }
            faults.append(
                Fault(position: step.position, message: "\(feature) are not supported; write the value itself here"))
            return YAMLNode(content: .refused, position: step.position)
        }

        private func refusedFeature(of step: YAMLReader.Step) -> String? {
            if step.event == .alias || step.hasAnchor { return "anchors and aliases" }
            return step.hasTag ? "tags" : nil
        }

        private mutating func content(of step: YAMLReader.Step, depth: Int) throws(Fault) -> YAMLNode.Content {
            switch step.event {
            case .scalar(let text, let isPlain): .scalar(text: text, isPlain: isPlain)
            case .sequenceStart: try sequence(depth: depth)
            case .mappingStart: try mapping(depth: depth)
            case .alias: .refused
            case .failed, .end, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
                throw Fault(position: step.position, message: "a value is missing here")
            }
        }

        private mutating func sequence(depth: Int) throws(Fault) -> YAMLNode.Content {
            var nodes: [YAMLNode] = []
            while true {
                let step = try next()
                if step.event == .sequenceEnd { return .sequence(nodes) }
                nodes.append(try node(at: step, depth: depth + 1))
            }
        }

        private mutating func mapping(depth: Int) throws(Fault) -> YAMLNode.Content {
            var entries: [YAMLEntry] = []
            while true {
                let step = try next()
                if step.event == .mappingEnd { return .mapping(entries) }
                let key = try node(at: step, depth: depth + 1)
                let value = try node(at: try next(), depth: depth + 1)
                switch key.content {
                case .scalar(let text, _):
                    entries.append(YAMLEntry(key: text, keyPosition: key.position, value: value))
                case .refused: break
                case .sequence, .mapping:
                    faults.append(
                        Fault(position: key.position, message: "a list or mapping cannot be a key; write a word"))
                }
            }
        }
    }
}
