/// Where the access log goes.
package enum AccessLogDestination: Equatable, Sendable {
    case standardOutput
    case standardError
    /// Appended to; made if it is not there.
    case file(String)
    case off
}
