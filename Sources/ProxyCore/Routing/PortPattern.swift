/// The ports of a request's target that a route takes.
package enum PortPattern: Equatable, Sendable {
    case any
    /// No port in the target, or 80 or 443: the app names `http://host` and means the backend behind it.
    case schemeDefault
    case exactly(UInt16)
}
