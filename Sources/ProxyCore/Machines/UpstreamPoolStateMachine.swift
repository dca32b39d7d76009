/// The idle connections of one worker to one origin: which one is used next, and which are closed.
///
/// The last one used is used first, so that surplus connections after a burst grow old. The owner names connections
/// by numbers; the machine never sees a socket.
package enum UpstreamPoolStateMachine: ~Copyable {
    /// Idle connections are kept, the oldest first. Left by `drained`.
    case pooling([Int])
    /// No connection is kept any more. Final.
    case draining

    package enum AcquireAction: Equatable {
        case reuse(Int)
        case connect
    }

    package mutating func acquire() -> AcquireAction {
        switch consume self {
        case .pooling(var idle):
            let id = idle.popLast()
            self = .pooling(idle)
            if let id { return .reuse(id) }
            return .connect
        case .draining:
            self = .draining
            return .connect
        }
    }

    package enum ReleaseAction: Equatable {
        case keep
        case close
    }

    /// A connection has served an exchange and may serve another.
    package mutating func released(_ id: Int) -> ReleaseAction {
        switch consume self {
        case .pooling(var idle):
            assert(!idle.contains(id), "a connection was given back twice")
            idle.append(id)
            self = .pooling(idle)
            return .keep
        case .draining:
            self = .draining
            return .close
        }
    }

    /// An idle connection was closed, by the backend or for its age.
    package mutating func idleClosed(_ id: Int) {
        switch consume self {
        case .pooling(var idle):
            if let index = idle.firstIndex(of: id) { idle.remove(at: index) }
            self = .pooling(idle)
        case .draining: self = .draining
        }
    }

    /// The settings behind the connections have changed: returns every idle one, for the owner to close.
    package mutating func outdated() -> [Int] {
        switch consume self {
        case .pooling(let idle):
            self = .pooling([])
            return idle
        case .draining:
            self = .draining
            return []
        }
    }

    /// Returns every idle connection, for the owner to close.
    package mutating func drained() -> [Int] {
        switch consume self {
        case .pooling(let idle):
            self = .draining
            return idle
        case .draining:
            self = .draining
            return []
        }
    }
}
