/// What happens to the app's own `Authorization` field.
package enum AuthorizationPolicy: Equatable, Sendable {
    /// The app's field is dropped; the route's credential takes its place.
    case replace
    /// The app's field is forwarded unchanged, and the route's credential is not attached to that request.
    case keep
}
