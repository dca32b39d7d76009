/// The idle connections of one worker to one origin: which one serves next, and which are given up.
///
/// The last one used serves first, so that a burst's surplus ages out. Connections are named by numbers that the owner
/// gives; the machine never sees a socket.
package enum UpstreamPoolStateMachine: ~Copyable {
    /// Connections come and go; the oldest stand first. Left by `drained`.
    case pooling([Int])
    /// No connection is kept any more. Nothing leaves.
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

    /// What the connections were made with has changed: gives up every idle one, for the owner to close.
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

    /// Gives up every idle connection, for the owner to close.
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
