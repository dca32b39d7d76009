/// Why a route does not take a request for its host; a later case means that more of the request matches.
package enum RouteMiss: Int, Comparable, Sendable {
    case port
    case path
    case method

    package static func < (one: RouteMiss, other: RouteMiss) -> Bool { one.rawValue < other.rawValue }
}
