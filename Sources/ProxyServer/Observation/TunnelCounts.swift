/// One worker's counters for tunnels, by what opened them.
struct TunnelCounts: Sendable {
    struct Row: Sendable {
        var opened: UInt64 = 0
        private(set) var closed: UInt64 = 0
        /// The bytes from and to apps of the tunnels that have ended.
        private(set) var received: UInt64 = 0
        private(set) var sent: UInt64 = 0

        /// The number of open tunnels.
        var open: UInt64 { opened - closed }

        mutating func ended(received: UInt64, sent: UInt64) {
            closed += 1
            self.received += received
            self.sent += sent
        }

        mutating func add(_ other: Row) {
            opened += other.opened
            closed += other.closed
            received += other.received
            sent += other.sent
        }
    }

    private var connect = Row()
    private var websocket = Row()

    subscript(_ kind: Tunnel.Kind) -> Row {
        get {
            switch kind {
            case .connect: connect
            case .websocket: websocket
            }
        }
        set {
            switch kind {
            case .connect: connect = newValue
            case .websocket: websocket = newValue
            }
        }
    }

    /// Adds another worker's counters.
    mutating func add(_ other: TunnelCounts) {
        for kind in Tunnel.Kind.allCases { self[kind].add(other[kind]) }
    }
}
