/// What happens to a request that no route takes.
package enum UnmatchedPolicy: Equatable, Sendable {
    case deny
    /// The request is forwarded to the origin that it names, always without a credential.
    case forward
}
