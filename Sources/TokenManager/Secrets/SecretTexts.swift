/// The secrets of one credential as they have been read; no description or reflection shows them.
package struct SecretTexts: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private var texts: [SecretRole: SecretText]

    package init(_ texts: [SecretRole: SecretText] = [:]) {
        self.texts = texts
    }

    package subscript(role: SecretRole) -> SecretText? {
        get { texts[role] }
        set { texts[role] = newValue }
    }

    /// All of them, for what must not appear in a message.
    package var values: [String] { texts.values.map(\.value) }

    /// Each with its role, in an order of its own.
    var sorted: [(role: SecretRole, text: SecretText)] {
        SecretRole.allCases.compactMap { role in texts[role].map { (role, $0) } }
    }

    /// Whether all is the same but the refresh token.
    func differOnlyInRefreshToken(from other: SecretTexts) -> Bool {
        guard texts[.refreshToken] != nil else { return false }
        var changed = self
        changed[.refreshToken] = other[.refreshToken]
        return changed == other && self != other
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
