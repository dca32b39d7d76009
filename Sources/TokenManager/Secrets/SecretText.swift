/// A secret that was read; no description or reflection shows it.
package struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let value: String

    package init(_ value: String) {
        self.value = value
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
