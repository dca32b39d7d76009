/// The destination of the access log.
package enum AccessLogDestination: Equatable, Sendable {
    case standardOutput
    case standardError
    /// A file, created if it does not exist, and otherwise appended to.
    case file(String)
    case off
}
