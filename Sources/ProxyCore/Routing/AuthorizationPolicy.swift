/// What becomes of an `Authorization` field that the app sends itself.
package enum AuthorizationPolicy: Equatable, Sendable {
    /// The app's field is dropped; the route's credential takes its place.
    case replace
    /// The app's field goes on as it is, and the route's credential stays out of that request.
    case keep
}
