/// One more field of the form that is sent to the token server.
///
/// Its value may be a password, so no description or reflection shows it.
public struct TokenParameter: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The field's name.
    public var name: String
    /// The field's value before form encoding.
    public var value: String

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value before form encoding.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The name alone.
    public var description: String { "\(name)=<redacted>" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
