/// The hosts that a route takes.
///
/// Hosts are in lower case, IPv6 addresses without brackets.
package enum HostPattern: Equatable, Sendable {
    case exact(String)
    /// An ending of the host with its leading dot: `*.example` is `.example`. At least one byte must precede it.
    case suffix(String)
    /// No host: only gateway listeners use the route.
    case nothing
}
