import EventTransport
import ProxyConfiguration

/// The sockets of the open listeners, and which of them stay under another configuration.
///
/// Owned by the reload; confined to the first worker's loop. A socket that systemd has passed stays open as long as the
/// process runs, so that a later configuration can use it again: its listeners have copies.
struct OpenSockets {
    private struct Open {
        let number: ListenerNumber
        let address: ListenAddress
        let socket: BoundSocket
    }

    /// What another configuration does to the listeners.
    struct Plan {
        /// All listeners of the configuration, by number.
        var listeners: [ListenerNumber: ListenerConfiguration] = [:]
        /// The sockets that were opened for it.
        var opened: [ListenerNumber: BoundSocket] = [:]
        /// What stays as it is although the configuration says otherwise.
        var needsRestart: [String] = []
        fileprivate var order: [ListenerNumber] = []
        fileprivate var nextNumber: ListenerNumber
    }

    private var open: [Open]
    private var nextNumber: ListenerNumber
    private let passed: PassedSockets
    /// The sockets that systemd has passed for listeners, by name.
    private var taken: [String: BoundSocket] = [:]

    /// The addresses of the open listeners, with their real ports.
    var addresses: [ListenerAddress] { open.map(\.socket.address) }

    /// The listeners of the start, whose numbers are their indices.
    init(_ sockets: [BoundSocket], _ configurations: [ListenerConfiguration], _ passed: PassedSockets) {
        open = zip(sockets, configurations).enumerated().map {
            Open(number: $0, address: $1.1.address, socket: $1.0)
        }
        nextNumber = open.count
        self.passed = passed
        for listener in open {
            if case .systemd(let given, _) = listener.address, let name = passed.name(of: given) {
                taken[name] = listener.socket
            }
        }
    }

    /// Opens the listeners that are missing; those with the same address stay open.
    ///
    /// - Throws: If an address is not available; then nothing stays open that was not open before.
    mutating func plan(
        for configurations: [ListenerConfiguration], reusePort: Bool
    ) throws(StartError) -> Plan {
        var plan = Plan(nextNumber: nextNumber)
        for configuration in configurations {
            do throws(StartError) {
                try add(configuration, to: &plan, reusePort: reusePort)
            } catch {
                for socket in plan.opened.values { socket.close() }
                throw error
            }
        }
        return plan
    }

    private mutating func add(
        _ configuration: ListenerConfiguration, to plan: inout Plan, reusePort: Bool
    ) throws(StartError) {
        let number: ListenerNumber
        if let found = open.first(where: {
            plan.listeners[$0.number] == nil && isSamePlace($0.address, configuration.address)
        }) {
            number = found.number
            do throws(TransportError) {
                try ListenerSocket.check(found.socket.address, of: configuration)
            } catch {
                throw StartError(error, listeningOn: configuration)
            }
            if case .unix = found.address, found.address != configuration.address {
                plan.needsRestart.append("mode and owner of \(configuration)")
            }
        } else {
            number = plan.nextNumber
            plan.opened[number] = try bind(configuration, plan, reusePort: reusePort)
            plan.nextNumber += 1
        }
        plan.listeners[number] = configuration
        plan.order.append(number)
    }

    private mutating func bind(
        _ listener: ListenerConfiguration, _ plan: Plan, reusePort: Bool
    ) throws(StartError) -> BoundSocket {
        guard case .systemd(let given, _) = listener.address else {
            do throws(StartError) {
                return try ListenerSocket.bind(listener, reusePort: reusePort, passed)
            } catch {
                guard let holder = holder(of: listener) else { throw error }
                throw error.because(
                    "the listener \(holder) still uses this port; restart attache, or remove that listener in one reload and add this "
                        + "one in the next")
            }
        }
        let name = passed.name(of: given)
        do throws(TransportError) {
            let socket: BoundSocket
            // Two listeners cannot have one socket, whether or not both name it.
            let isFree = !plan.listeners.values.contains { isSamePlace($0.address, listener.address) }
            if isFree, let name, let known = taken[name] {
                socket = known
            } else {
                socket = try passed.take(given)
                if let name { taken[name] = socket }
            }
            try ListenerSocket.check(socket.address, of: listener)
            return try socket.another()
        } catch {
            throw StartError(error, listeningOn: listener)
        }
    }

    /// The open listener that has the port of another one, because one of both has all addresses; nil if there is none.
    private func holder(of listener: ListenerConfiguration) -> ListenerAddress? {
        guard case .tcp(let host, let port) = listener.address, let ip = IPAddress(literal: host) else { return nil }
        return addresses.first { address in
            guard let other = address.tcpAddress, other.port == port else { return false }
            return ip.isUnspecified || other.ip.isUnspecified
        }
    }

    /// The workers have carried out a plan; returns the addresses of the listeners that were closed.
    mutating func carriedOut(_ plan: Plan) -> [ListenerAddress] {
        let closed = open.filter { plan.listeners[$0.number] == nil }.map(\.socket.address)
        let old = Dictionary(open.map { ($0.number, $0) }) { first, _ in first }
        open = plan.order.compactMap { number in
            // A Unix socket keeps its mode and owner, so that each load finds the difference.
            if let kept = old[number] { return kept }
            guard let socket = plan.opened[number], let configuration = plan.listeners[number] else { return nil }
            return Open(number: number, address: configuration.address, socket: socket)
        }
        nextNumber = plan.nextNumber
        return closed
    }

    /// Whether only one of both can listen.
    private func isSamePlace(_ one: ListenAddress, _ other: ListenAddress) -> Bool {
        switch (one, other) {
        case (.unix(let path, _), .unix(let otherPath, _)): path == otherPath
        case (.systemd(let name, _), .systemd(let otherName, _)):
            passed.name(of: name) == passed.name(of: otherName)
        default: one == other
        }
    }
}
