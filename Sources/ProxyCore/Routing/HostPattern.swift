/// Which hosts a route is for.
///
/// Hosts are in lower case, IPv6 addresses without brackets.
package enum HostPattern: Equatable, Sendable {
    case exact(String)
    /// The ending that a host has, with its leading dot: `*.example` is `.example`. Something must stand before it.
    case suffix(String)
}
