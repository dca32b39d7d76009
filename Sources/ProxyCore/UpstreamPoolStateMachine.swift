/// The idle connections of one worker to one origin: which one serves next, and which are given up.
///
/// The last one used serves first, so that a burst's surplus ages out. Connections are named by an `ID` that the owner
/// chooses; the machine never sees a socket.
package enum UpstreamPoolStateMachine<ID: Equatable>: ~Copyable {
    /// Connections come and go; the oldest stand first. Left by `drained`.
    case pooling([ID])
    /// No connection is kept any more. Nothing leaves.
    case draining

    package enum AcquireAction {
        case reuse(ID)
        case connect
    }

    @inlinable package mutating func acquire() -> AcquireAction {
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
    @inlinable package mutating func released(_ id: ID) -> ReleaseAction {
        switch consume self {
        case .pooling(var idle):
            idle.append(id)
            self = .pooling(idle)
            return .keep
        case .draining:
            self = .draining
            return .close
        }
    }

    /// An idle connection was closed, by the backend or for its age.
    @inlinable package mutating func idleClosed(_ id: ID) {
        switch consume self {
        case .pooling(var idle):
            if let index = idle.firstIndex(of: id) { idle.remove(at: index) }
            self = .pooling(idle)
        case .draining: self = .draining
        }
    }

    /// Gives up every idle connection, for the owner to close.
    @inlinable package mutating func drained() -> [ID] {
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
