/// What becomes of a CONNECT to a host that a route takes.
package enum ConnectPolicy: String, CaseIterable, Equatable, Sendable {
    /// Attaché refuses it, and says how to send the request instead.
    case deny
    /// Attaché opens a tunnel, without a credential and without a look inside.
    case tunnel
    /// Attaché serves the plain requests inside as if they had come in absolute-form.
    case terminate
}

/// The destinations of CONNECT that no route decides about.
package struct ConnectRules: Equatable, Sendable {
    /// A host, or an ending of hosts, with a port.
    package struct Pattern: Equatable, Sendable {
        /// An empty ending takes every host.
        package let host: HostPattern
        package let port: UInt16

        package init(host: HostPattern, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// Whether it takes every destination that the other takes.
        package func covers(_ other: Pattern) -> Bool { port == other.port && host.covers(other.host) }

        /// Whether the pattern takes a host in lower case, without brackets.
        func takes(_ name: String, _ port: UInt16) -> Bool { port == self.port && host.takes(name) }
    }

    /// Where tunnels may lead.
    package let allow: [Pattern]
    /// Where they may not, whatever else allows it.
    package let deny: [Pattern]
    /// What holds for a route with a credential that says nothing itself.
    package let routes: ConnectPolicy

    package init(allow: [Pattern] = [], deny: [Pattern] = [], routes: ConnectPolicy = .deny) {
        self.allow = allow
        self.deny = deny
        self.routes = routes
    }
}

/// How the operator has named a destination, which decides which addresses it may have.
package enum DestinationTrust: Hashable, Sendable {
    /// By its address, or as the upstream of a route: it may have any address.
    case address
    /// By a route for its host: it may have any address but those at which clouds serve credentials.
    case host
    /// By `connect.allow` alone, or not at all: it may have public addresses.
    case none
}

/// What the rules and routes decide about a CONNECT.
package enum ConnectDecision: Equatable, Sendable {
    /// To the host in lower case, without brackets; the index is that of the route which says so.
    ///
    /// `trust` says which addresses it may have.
    case tunnel(host: String, port: UInt16, route: Int?, trust: DestinationTrust)
    /// As `tunnel`, by the route of this index.
    case terminate(host: String, port: UInt16, route: Int)
    /// By the route of this index, or because nothing allows it.
    case denied(route: Int?)
    /// By `connect.deny`.
    case forbidden
}
