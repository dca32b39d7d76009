/// What becomes of a request that no route takes.
package enum UnmatchedPolicy: Equatable, Sendable {
    case deny
    /// Sent to where it asks for, never with a credential.
    case forward
}
