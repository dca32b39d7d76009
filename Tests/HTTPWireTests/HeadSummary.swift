import HTTPWire

/// What a parse came to, in a form that two parses can be compared by.
struct HeadSummary: Equatable {
    var byteCount: Int
    var start: [String]
    var fields: [String]
    var framing: BodyFraming
    var options: UInt8
    var flags: [Bool]
    var keepAliveTimeout: Int?

    init(_ head: RequestHead, _ bytes: [UInt8]) {
        byteCount = head.byteCount
        start = [
            text(bytes, head.methodName), "\(head.method)", text(bytes, head.targetText), "\(head.version)",
            Self.describe(head.target, bytes),
        ]
        fields = Self.lines(head.fields, bytes)
        framing = head.framing
        options = head.connection.rawValue
        flags = [head.expectsContinue, head.isPersistent]
    }

    init(_ head: ResponseHead, _ bytes: [UInt8]) {
        byteCount = head.byteCount
        start = ["\(head.version)", "\(head.status)", text(bytes, head.reason)]
        fields = Self.lines(head.fields, bytes)
        framing = head.framing
        options = head.connection.rawValue
        flags = [head.isPersistent]
        keepAliveTimeout = head.keepAliveTimeout
    }

    static func describe(_ target: RequestTarget, _ bytes: [UInt8]) -> String {
        switch target {
        case .origin(let path): "origin \(text(bytes, path))"
        case .absolute(let scheme, let host, let port, let path):
            "\(scheme) \(text(bytes, host)) \(port.map { "\($0)" } ?? "-") \(text(bytes, path))"
        case .authority(let host, let port): "authority \(text(bytes, host)) \(port)"
        case .asterisk: "asterisk"
        }
    }

    private static func lines(_ fields: FieldLines, _ bytes: [UInt8]) -> [String] {
        (0..<fields.count).map { index in
            let line = fields[index]
            return "\(text(bytes, line.name))|\(text(bytes, line.value))|\(line.known)"
        }
    }
}

/// The outcome of one parse.
enum Outcome: Equatable {
    case incomplete
    case accepted(HeadSummary)
    case refused(MessageError)

    static func request(
        _ bytes: [UInt8], _ limits: HeadLimits = HeadLimits(), fields: FieldLines = FieldLines()
    ) -> Outcome {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes.span, limits: limits, fields: fields) else {
                return .incomplete
            }
            return .accepted(HeadSummary(head, bytes))
        } catch {
            return .refused(error)
        }
    }

    static func response(
        _ bytes: [UInt8], answering method: Method, _ limits: HeadLimits = HeadLimits(),
        fields: FieldLines = FieldLines()
    ) -> Outcome {
        do throws(MessageError) {
            guard let head = try ResponseHead.parse(bytes.span, answering: method, limits: limits, fields: fields)
            else {
                return .incomplete
            }
            return .accepted(HeadSummary(head, bytes))
        } catch {
            return .refused(error)
        }
    }

    /// What a parse came to, less what the head says.
    enum Verdict: Equatable {
        case accepted(BodyFraming)
        case refused(MessageError)
    }

    var verdict: Verdict? {
        switch self {
        case .incomplete: nil
        case .accepted(let summary): .accepted(summary.framing)
        case .refused(let error): .refused(error)
        }
    }
}
