/// What keeps a request from a route that takes its host; the later one means that more of the request is right.
package enum RouteMiss: Int, Comparable, Sendable {
    case port
    case path
    case method

    package static func < (one: RouteMiss, other: RouteMiss) -> Bool { one.rawValue < other.rawValue }
}
