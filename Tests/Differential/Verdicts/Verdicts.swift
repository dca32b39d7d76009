import HTTPWire
import Vectors

/// Our parser's side of the comparison with other parsers: it judges each message of the standard input.
///
/// A line is a kind such as `request` or `response-HEAD`, and the message in hexadecimal digits; the answer is a line
/// too, as `Tests/Differential/README.md` says. With the argument `vectors` it prints the messages of the vector
/// files in the same form, each with its place behind it.
@main
enum Verdicts {
    static func main() throws {
        if CommandLine.arguments.dropFirst() == ["vectors"] {
            for vector in try VectorFile.all() {
                for message in Message.all(of: vector) { print(message, vector.place) }
            }
            return
        }
        while let line = readLine() {
            guard let message = Message(line) else { throw NoMessage(line: line) }
            print(message.verdict)
        }
    }

    struct NoMessage: Error {
        let line: String
    }
}
