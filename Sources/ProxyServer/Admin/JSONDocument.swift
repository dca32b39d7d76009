import EventTransport
import HTTPWire

/// A JSON text that a page of the admin listener answers, with one member a line.
///
/// Members keep their order, and those without a value stay out.
enum JSONDocument {
    case text(String)
    case number(String)
    case boolean(Bool)
    case list([JSONDocument])
    case object([Member])

    typealias Member = (name: String, value: JSONDocument?)

    /// The members of an object, in their order.
    struct Members {
        private(set) var list: [Member] = []

        /// Adds a member; nil stays out.
        mutating func add(_ name: String, _ value: JSONDocument?) { list.append((name, value)) }

        mutating func add(_ name: String, _ text: String?) { add(name, text.map { JSONDocument.text($0) }) }
    }

    static func count(_ count: some BinaryInteger) -> JSONDocument { .number("\(count)") }

    /// Seconds with three digits after the point.
    static func seconds(_ duration: Duration) -> JSONDocument {
        let milliseconds = duration.milliseconds
        let fraction = "\(milliseconds.magnitude % 1000)"
        let sign = milliseconds < 0 ? "-" : ""
        return .number(
            "\(sign)\(milliseconds.magnitude / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction)
    }

    /// The whole text, with a line break at its end.
    var page: String { "\(text(indent: ""))\n" }

    func response(_ status: Int = 200) -> EmbeddedServer.Response {
        .init(status, page, contentType: "application/json")
    }

    private func text(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .text(let text): return JSONText.quoted(text)
        case .number(let digits): return digits
        case .boolean(let value): return value ? "true" : "false"
        case .list(let items):
            guard !items.isEmpty else { return "[]" }
            return "[\n" + items.map { inner + $0.text(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            let lines = members.compactMap { name, value in
                value.map { "\(inner)\(JSONText.quoted(name)): \($0.text(indent: inner))" }
            }
            return lines.isEmpty ? "{}" : "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}

extension Duration {
    /// Cut to whole milliseconds.
    var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
