import EventTransport
package import ProxyConfiguration
import ProxyCore

/// How the descriptors that the process may have open are shared out: apps may not take those that serve them.
///
/// An exchange takes one on either side. Beside them the process has some of its own, for listeners, logs, the admin
/// listener, name servers and one for each token that is being fetched.
package struct DescriptorBudget: Equatable, Sendable {
    /// How many may be open at a time.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// What this process may have, after raising its limit as far as the system lets it.
    package static func ofThisProcess() -> DescriptorBudget {
        DescriptorLimit.raise()
        return DescriptorBudget(limit: DescriptorLimit.current)
    }

    /// Left over for the process's own even if every app that is connected is being served.
    var reserve: Int { min(max(4, limit / 8), 32) }

    /// What of it is still left to serve with when the admin listener has taken its part.
    var adminReserve: Int { reserve / 2 }

    /// How many idle connections to backends each worker keeps: together at most a quarter of all descriptors.
    ///
    /// The rest suffices for apps, for those they are served by, and for the process's own.
    func idleUpstreams(ofWorkers count: Int) -> Int { max(1, limit / 4 / max(1, count)) }

    /// How many connections the admin listener keeps open: at most an eighth of all descriptors.
    var adminConnections: Int { min(max(4, limit / 8), 256) }

    /// What each worker has open before the first app comes, beside its listeners: epoll, eventfd and a name server's socket.
    private static let ofWorker = 3
    /// What the process opens once: the access log, the admin listener, the pipes of the signals, the files that it reads.
    private static let ofProcess = 8

    /// Why the proxy cannot start with so few descriptors, beside those that are open already; nil where it can.
    package func shortage(for configuration: Configuration, openCount: Int = DescriptorLimit.openCount ?? 3) -> String?
    {
        shortage(workers: configuration.workers.count, listeners: configuration.listeners.count, openCount: openCount)
    }

    func shortage(workers: Int, listeners: Int, openCount: Int) -> String? {
        // The last two serve one app.
        let needed = openCount + Self.ofProcess + workers * (Self.ofWorker + listeners) + reserve + 2
        guard limit < needed else { return nil }
        return "the limit of open files is \(limit), and attache needs at least \(needed) to start with "
            + "\(workers == 1 ? "1 worker" : "\(workers) workers"); raise it (ulimit -n, LimitNOFILE)"
    }

    /// What a person should know where the limit does not suffice for as many connections of apps; nil where it does.
    package func warning(for configuration: Configuration) -> String? {
        warning(connections: configuration.limits.connections)
    }

    func warning(connections: Int) -> String? {
        let (needed, isTooLarge) = connections.multipliedReportingOverflow(by: 2)
        guard isTooLarge || limit < needed else { return nil }
        let descriptors = isTooLarge ? "too many descriptors" : "\(needed) descriptors"
        return "limits.connections is \(connections), which takes \(descriptors), and the limit of open files is "
            + "\(limit): when they are in use, further connections wait to be taken; "
            + "raise the limit (ulimit -n, LimitNOFILE) or lower limits.connections"
    }
}
