/// The line `Proxy-Authorization` for a parent proxy; no description or reflection shows it.
///
/// Confined to the worker's loop, which replaces the line when the password changes.
package final class ParentAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The line with its CRLF; empty without credentials.
    package var line: [UInt8]

    package init(line: [UInt8]) { self.line = line }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
