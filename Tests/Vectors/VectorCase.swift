package import HTTPWire

/// One case of a vector file; the format is described in `Tests/Vectors/README.md`.
package struct VectorCase: Sendable, CustomStringConvertible {
    /// What is done with the bytes.
    package enum Kind: Equatable, Sendable {
        /// They are read as a request with its body.
        case request
        /// They are read as a response with its body, until the backend closes.
        case response(to: Method)
        /// They are read as a body of this framing.
        case body(BodyFraming)
        /// They are read as a request, and forwarded to a backend.
        case forward
        /// They are read as a response, and passed on to an app.
        case answer(to: Method)
        /// They are read as a response, and the connection that brought it may serve again or not.
        case reuse(to: Method)
        /// They are the token that a token server gave.
        case token
    }

    package enum Verdict: Equatable, Sendable {
        case accepted
        case refused(status: Int, reason: String)
        /// More bytes would have to come, and a connection that closes here has cut the message short.
        case incomplete
        /// Only of `reuse`.
        case kept
        /// Only of `reuse`.
        case closed
    }

    /// One thing seen in a message, such as its method.
    package struct Part: Equatable, Sendable {
        package let name: String
        package let value: [UInt8]

        package init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }

        package init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }
    }

    /// File and line, such as `host.txt:12`.
    package let place: String
    package let title: String
    /// The clause that decides.
    package let clause: String
    package let kind: Kind
    package let settings: [String: String]
    package let input: [UInt8]
    package let verdict: Verdict
    /// What has to be seen, in the order of the file; what is not named is not asked for.
    package let parts: [Part]
    /// The bytes that have to leave, of `forward` and `answer`.
    package let output: [UInt8]

    package var description: String { "\(place) \(title)" }

    /// The values of a part, in order; nil if the case does not name it.
    package func values(of name: String) -> [[UInt8]]? {
        let values = parts.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values
    }

    package var limits: HeadLimits {
        HeadLimits(
            headBytes: settings["headBytes"].flatMap { Int($0) } ?? 65_536,
            fieldCount: settings["fieldCount"].flatMap { Int($0) } ?? 100)
    }
}
