/// The secrets of one credential as they were read; no description or reflection shows them.
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

    /// All texts, for the check of messages.
    package var values: [String] { texts.values.map(\.value) }

    /// Each secret with its role, in a fixed order.
    var sorted: [(role: SecretRole, text: SecretText)] {
        SecretRole.allCases.compactMap { role in texts[role].map { (role, $0) } }
    }

    /// Whether only the refresh token differs.
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
