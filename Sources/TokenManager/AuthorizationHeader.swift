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
    /// From this instant on whoever keeps a copy should ask again; earlier than the end only where a token is renewed
    /// because somebody asks, as those of parameterised credentials are.
    public let askAgainAt: ContinuousClock.Instant
    /// When the token came or its file was read; nil where nobody noted it.
    public let obtainedAt: ContinuousClock.Instant?
    /// Makes the `DPoP` field that each request needs beside this one; nil where the token is bound to no key.
    public let binding: TokenBinding?

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The whole field value.
    ///   - usableUntil: From this instant on the value must not be sent.
    ///   - askAgainAt: From this instant on whoever keeps a copy should ask again; nil for its end.
    ///   - obtainedAt: When the token came or its file was read.
    ///   - binding: Makes the `DPoP` field that each request needs beside this one.
    public init(
        name: String, value: String, usableUntil: ContinuousClock.Instant,
        askAgainAt: ContinuousClock.Instant? = nil, obtainedAt: ContinuousClock.Instant? = nil,
        binding: TokenBinding? = nil
    ) {
        self.name = name
        self.value = value
        self.usableUntil = usableUntil
        self.askAgainAt = min(askAgainAt ?? usableUntil, usableUntil)
        self.obtainedAt = obtainedAt
        self.binding = binding
    }

    /// The name alone.
    public var description: String { "\(name): <redacted>" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
