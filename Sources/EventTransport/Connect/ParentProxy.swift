extension Connector {
    /// A proxy on the way to a target; no description or reflection shows its credentials.
    package struct Parent: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// A name or an IP address without brackets.
        package let host: String
        package let port: UInt16
        /// Whether the proxy opens a tunnel to the target (CONNECT); otherwise the caller asks it in absolute-form.
        package let opensTunnel: Bool
        /// The line `Proxy-Authorization` with its CRLF; empty without credentials.
        package var authorization: [UInt8]
        /// The lines `Via` of the request that the tunnel is for, so that every proxy on a circle knows it again.
        package var via: [UInt8] = []

        package init(host: String, port: UInt16, opensTunnel: Bool, authorization: [UInt8] = []) {
            self.host = host
            self.port = port
            self.opensTunnel = opensTunnel
            self.authorization = authorization
        }

        /// As in messages: `the parent proxy proxy.example:3128`.
        package var description: String { "the parent proxy \(authority)" }
        package var debugDescription: String { description }
        package var customMirror: Mirror { Mirror(self, children: ["name": description]) }

        var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

        /// The request for a tunnel to a target; `own` is the line `Via` of this process.
        func connectRequest(to authority: String, via own: [UInt8]) -> [UInt8] {
            Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n".utf8) + via + own + authorization
                + Array("\r\n".utf8)
        }
    }
}

extension TransportError {
    /// The error of a parent proxy whose name could not be resolved.
    init(_ error: TransportError, resolving parent: Connector.Parent) {
        self.init(error.kind, "\(parent): \(error.message)", errno: error.errno)
        concernsParent = true
    }

    /// The error of a parent proxy that demands credentials, or refuses those that it got, for what was asked.
    package init(_ parent: Connector.Parent, demandingCredentialsFor asked: String) {
        let what =
            parent.authorization.isEmpty
            ? "\(parent) demands a user name and password (407) for \(asked); set the proxy's username and password"
            : "\(parent) refused the user name or password (407) for \(asked); correct the proxy's username and password"
        self.init(.parentRefused, what)
    }

    /// The error of a parent proxy that opens no tunnel; `answer` says why.
    init(_ parent: Connector.Parent, refusing authority: String, by answer: ConnectAnswer) {
        let asked = "CONNECT \(authority)"
        let what: String
        switch answer {
        case .refused(407):
            self.init(parent, demandingCredentialsFor: asked)
            return
        case .refused(508):
            what =
                "the way through \(parent) leads back to an attache (508 for \(asked)); correct the proxy's address, or "
                + "list the host in noProxy"
            self.init(.ownListener, what)
            return
        case .refused(let status) where (500..<600).contains(status):
            what = "\(parent) answered \(asked) with \(status), so it could not reach that server; look at its log"
        case .refused(let status):
            what = "\(parent) refused \(asked) with \(status); allow it there, or list the host in noProxy"
        case .incomplete, .opened:
            what = "\(parent) closed the connection without an answer to \(asked); look at its log"
        case .unreadable:
            what = "\(parent) did not answer \(asked) with HTTP/1.1; check that it is the port of an HTTP proxy"
        }
        self.init(.parentRefused, what)
    }
}
