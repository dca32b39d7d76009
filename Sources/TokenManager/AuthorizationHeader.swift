/// The field to put on a request; its value holds a token, which no description or reflection shows.
public struct AuthorizationHeader: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The field's name, "Authorization" unless the credential says otherwise.
    public let name: String
    /// The whole field value, for instance "Bearer …".
    public let value: String
    /// From this instant on the value must not be sent.
    public let usableUntil: ContinuousClock.Instant

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The whole field value.
    ///   - usableUntil: From this instant on the value must not be sent.
    public init(name: String, value: String, usableUntil: ContinuousClock.Instant) {
        self.name = name
        self.value = value
        self.usableUntil = usableUntil
    }

    /// The name alone.
    public var description: String { "\(name): <redacted>" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
