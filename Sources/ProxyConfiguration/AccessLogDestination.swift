/// The destination of the access log.
package enum AccessLogDestination: Equatable, Sendable {
    case standardOutput
    case standardError
    /// Created if it does not exist, else appended to.
    case file(String)
    case off
}
