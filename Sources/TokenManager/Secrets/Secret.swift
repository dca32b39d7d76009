/// A secret, or where to find it; no description or reflection shows a literal one.
public enum Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself.
    case literal(String)
    /// A file that holds it; the file is read again when it changes.
    case file(path: String)
    /// An environment variable that holds it.
    case environment(name: String)

    /// Where the secret is, never the secret.
    public var description: String {
        switch self {
        case .literal: "<redacted>"
        case .file(let path): "file \(path)"
        case .environment(let name): "environment variable \(name)"
        }
    }

    /// Whether it is in a file, and may therefore change.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// The place of the secret, as a part of a sentence.
    package var place: String {
        switch self {
        case .literal: "the value in the configuration"
        case .file(let path): "the file \(path)"
        case .environment(let name): "the environment variable \(name)"
        }
    }

    /// Where the secret is, never the secret.
    public var debugDescription: String { description }
    /// Where the secret is, never the secret.
    public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}
