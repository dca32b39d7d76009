import HTTPWire

/// A case whose lines are still being read.
struct VectorDraft {
    typealias Fault = ByteText.Fault

    private let place: String
    private let title: String
    private var clause: String?
    private var kind: VectorCase.Kind?
    private var settings: [String: String] = [:]
    private var input: [UInt8] = []
    private var verdict: VectorCase.Verdict?
    private var parts: [VectorCase.Part] = []
    private var output: [UInt8] = []

    init(place: String, title: String) {
        self.place = place
        self.title = title
    }

    mutating func take(_ line: Substring) throws(Fault) {
        guard line.last != " ", line.last != "\t" else {
            throw Fault(message: "white space at the end of a line has to be escaped, as \\x20")
        }
        if line.isEmpty || line.hasPrefix("#") { return }
        if line == "|" || line.hasPrefix("| ") || line.hasPrefix("> ") {
            try takeBytes(line)
        } else if line.hasPrefix("  ") {
            try takePart(line.dropFirst(2))
        } else if clause == nil {
            guard !line.isEmpty else { throw Fault(message: "the clause is missing") }
            clause = String(line)
        } else if kind == nil {
            try takeKind(line)
        } else if verdict == nil {
            verdict = try Self.verdict(line)
        } else {
            throw Fault(message: "a second verdict; indent the parts by two spaces")
        }
    }

    func finished() throws(Fault) -> VectorCase {
        guard let clause, let kind, let verdict else {
            throw Fault(message: "the case before this line lacks its clause, kind or verdict")
        }
        if output.isEmpty, verdict == .accepted, kind == .forward || isAnswer {
            throw Fault(message: "the case before this line does not say what leaves")
        }
        return VectorCase(
            place: place, title: title, clause: clause, kind: kind, settings: settings, input: input,
            verdict: verdict, parts: parts, output: output)
    }

    private var isAnswer: Bool {
        if case .answer = kind { true } else { false }
    }

    private mutating func takeBytes(_ line: Substring) throws(Fault) {
        guard kind != nil else { throw Fault(message: "the bytes follow the kind") }
        var bytes = try ByteText.bytes(line.dropFirst(2))
        if line.hasPrefix("|") { bytes += [0x0D, 0x0A] }
        if verdict == nil { input += bytes } else { output += bytes }
    }

    private mutating func takePart(_ line: Substring) throws(Fault) {
        guard verdict != nil else { throw Fault(message: "the parts follow the verdict") }
        let name = line.prefix { $0 != " " }
        guard Self.partNames.contains(String(name)) else { throw Fault(message: "there is no part \(name)") }
        parts.append(VectorCase.Part(String(name), try ByteText.bytes(line.dropFirst(name.count + 1))))
    }

    private static let partNames: Set<String> = [
        "method", "target", "version", "status", "reason", "field", "framing", "content", "rest", "options",
        "persistent", "expects-continue", "keep-alive", "own-credential",
    ]

    private static let settingNames: Set<String> = [
        "headBytes", "fieldCount", "origin", "credential", "keeps", "client", "persistent", "request", "draining",
    ]

    /// `request`, `response to GET`, `body chunked`, with settings such as `headBytes=1024` behind it.
    private mutating func takeKind(_ line: Substring) throws(Fault) {
        var words = line.split(separator: " ").map(String.init)
        while let setting = words.last, let sign = setting.firstIndex(of: "=") {
            let name = String(setting[..<sign])
            guard Self.settingNames.contains(name) else { throw Fault(message: "there is no setting \(name)") }
            settings[name] = String(setting[setting.index(after: sign)...])
            words.removeLast()
        }
        switch (words.first, words.count) {
        case ("request", 1): kind = .request
        case ("forward", 1): kind = .forward
        case ("token", 1): kind = .token
        case ("response", 3) where words[1] == "to": kind = .response(to: try Self.method(words[2]))
        case ("answer", 3) where words[1] == "to": kind = .answer(to: try Self.method(words[2]))
        case ("reuse", 3) where words[1] == "to": kind = .reuse(to: try Self.method(words[2]))
        case ("body", 2...3): kind = .body(try Self.framing(words[1...].joined(separator: " ")))
        default: throw Fault(message: "there is no kind '\(line)'")
        }
    }

    private static func verdict(_ line: Substring) throws(Fault) -> VectorCase.Verdict {
        let words = line.split(separator: " ").map(String.init)
        switch (words[0], words.count) {
        case ("accepted", 1): return .accepted
        case ("incomplete", 1): return .incomplete
        case ("kept", 1): return .kept
        case ("closed", 1): return .closed
        case ("refused", 3):
            guard let status = Int(words[1]) else { throw Fault(message: "a refusal has a status and a reason") }
            return .refused(status: status, reason: words[2])
        default: throw Fault(message: "there is no verdict '\(line)'")
        }
    }

    private static func method(_ name: String) throws(Fault) -> Method {
        switch name {
        case "GET": return .get
        case "HEAD": return .head
        case "POST": return .post
        case "CONNECT": return .connect
        default: throw Fault(message: "a response answers GET, HEAD, POST or CONNECT")
        }
    }

    private static func framing(_ text: String) throws(Fault) -> BodyFraming {
        switch text {
        case "none": return .none
        case "chunked": return .chunked
        case "until-close": return .untilClose
        default:
            guard text.hasPrefix("length "), let count = UInt64(text.dropFirst(7)) else {
                throw Fault(message: "a framing is none, chunked, until-close or a length")
            }
            return .length(count)
        }
    }
}
