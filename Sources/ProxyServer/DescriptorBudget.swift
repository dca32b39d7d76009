import EventTransport
package import ProxyConfiguration
import ProxyCore
import Synchronization

/// The division of the process's file descriptors between clients, backends and its own needs.
///
/// An exchange needs one descriptor on each side. The process needs more for listeners, logs, the admin listener,
/// name servers and token fetches.
package struct DescriptorBudget: Equatable, Sendable {
    /// The largest number of open descriptors.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The budget of this process, after raising its soft limit to the hard limit.
    package static func ofThisProcess() -> DescriptorBudget {
        DescriptorLimit.raise()
        return DescriptorBudget(limit: DescriptorLimit.current)
    }

    /// The descriptors kept for the process's own needs while all connected apps are being served.
    var reserve: Int { min(max(4, limit / 8), 32) }

    /// The part of the reserve that the admin listener may not use.
    var adminReserve: Int { reserve / 2 }

    /// The number of idle connections to backends that each worker keeps: together at most a quarter of all descriptors.
    func idleUpstreams(ofWorkers count: Int) -> Int { max(1, limit / 4 / max(1, count)) }

    /// The number of connections that the admin listener keeps open: at most an eighth of all descriptors.
    var adminConnections: Int { min(max(4, limit / 8), 256) }

    /// The descriptors of each worker besides its listeners: epoll, eventfd and a name server's socket.
    private static let ofWorker = 3
    /// The descriptors of the process: the access log, the admin listener, the pipes of the signals, the files that it
    /// reads, and two inotify descriptors: the current one and one that is being closed.
    private static let ofProcess = 10

    /// The number of descriptors that were open when the process first counted them, before it served a client.
    package static let openAtStart = DescriptorLimit.openCount ?? 3

    /// The error if the limit is too low to start, given the descriptors that are open already; else nil.
    package func shortage(for configuration: Configuration, openCount: Int = openAtStart) -> String? {
        shortage(workers: configuration.workers.count, listeners: configuration.listeners.count, openCount: openCount)
    }

    func shortage(workers: Int, listeners: Int, openCount: Int) -> String? {
        // Serving one app takes two more.
        let needed = openCount + Self.ofProcess + workers * (Self.ofWorker + listeners) + reserve + 2
        guard limit < needed else { return nil }
        return "the limit of open files is \(limit), and attache needs at least \(needed) to start with "
            + "\(workers == 1 ? "1 worker" : "\(workers) workers"); raise it (ulimit -n, LimitNOFILE)"
    }

    /// The warning of `check` if the limit is too low for `limits.connections`.
    package func warnings(for configuration: Configuration) -> [Problem] {
        [warning(for: configuration)].compactMap(\.self).map { Problem(message: $0, code: .descriptorLimitLow) }
    }

    /// The warning if the limit is too low for `limits.connections`; else nil.
    package func warning(for configuration: Configuration) -> String? {
        warning(connections: configuration.limits.connections)
    }

    func warning(connections: Int) -> String? {
        let (needed, isTooLarge) = connections.multipliedReportingOverflow(by: 2)
        guard isTooLarge || limit < needed else { return nil }
        let descriptors = isTooLarge ? "too many descriptors" : "\(needed) descriptors"
        return "limits.connections is \(connections), which needs \(descriptors), but the limit of open files is "
            + "\(limit). When all descriptors are in use, Attaché accepts no further connections. "
            + "Raise the limit (ulimit -n, LimitNOFILE), or lower limits.connections"
    }
}

/// The number of connections from apps to all workers together, against `limits.connections`.
///
/// Any thread.
final class ConnectionCount: Sendable {
    private let limit: Atomic<Int>
    private let count = Atomic(0)

    init(limit: Int) { self.limit = Atomic(max(1, limit)) }

    /// Sets the limit for further connections.
    func setLimit(_ limit: Int) { self.limit.store(max(1, limit), ordering: .relaxed) }

    /// The connections of now.
    var current: Int { count.load(ordering: .relaxed) }

    /// Counts one more connection; if the limit is reached, returns false and does not count it.
    func takes() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit.load(ordering: .relaxed) else { return true }
        left()
        return false
    }

    /// Counts the end of a connection.
    func left() { count.subtract(1, ordering: .relaxed) }
}
