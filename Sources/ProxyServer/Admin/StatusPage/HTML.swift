/// A piece of an HTML page: its literals are markup, and every text that they interpolate is escaped.
///
/// So a name from the configuration or a text from a server never becomes markup.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { markup += literal }
        mutating func appendInterpolation(_ piece: HTML) { markup += piece.markup }
        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { markup += piece.markup } }
        mutating func appendInterpolation(_ text: String) { HTML.escape(text, to: &markup) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { markup += number.description }
    }

    private(set) var markup: String

    init(stringLiteral literal: String) { markup = literal }
    init(stringInterpolation pieces: StringInterpolation) { markup = pieces.markup }

    static func += (page: inout HTML, piece: HTML) { page.markup += piece.markup }

    /// By scalars: a quote with a combining mark is one Character in Swift, but must be escaped.
    private static func escape(_ text: String, to out: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(isShown(scalar) ? scalar : "\u{fffd}")
            }
        }
    }

    /// Not control characters, which HTML forbids, nor those that turn the direction of what follows.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0a: true
        case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfdd0...0xfdef: false
        default: scalar.value & 0xfffe != 0xfffe
        }
    }
}
