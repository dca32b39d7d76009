import EventTransport
import ProxyConfiguration

/// The sockets that systemd has opened for this process, before listeners take them.
package struct StartSockets: Sendable {
    /// No socket was passed.
    package static let none = StartSockets(.none)

    let passed: PassedSockets

    init(_ passed: PassedSockets) { self.passed = passed }

    /// Takes the sockets over, and removes the variables of the environment that name them.
    ///
    /// Must be called before the process has a second thread.
    package static func takeOver() -> StartSockets { StartSockets(PassedSockets.takeOver()) }

    /// What is wrong with sockets that no listener has taken; nil if none is left.
    package var warning: String? {
        let names = passed.untaken
        guard !names.isEmpty else { return nil }
        return
            "systemd passed sockets that no listener uses (\(names.joined(separator: ", "))), so their clients get no response. Name "
            + "them as systemd:NAME in listeners, or remove them from the .socket units"
    }
}

/// Opens the sockets of listeners, or takes those that systemd has passed.
enum ListenerSocket {
    static func bind(
        _ listener: ListenerConfiguration, reusePort: Bool, _ passed: PassedSockets
    ) throws(StartError) -> BoundSocket {
        do throws(TransportError) {
            if case .systemd(let name, _) = listener.address {
                let socket = try passed.take(name)
                try check(socket.address, of: listener)
                return socket
            }
            return switch try ListenerAddress(listener) {
            case .tcp(let address): try BoundSocket(address, reusePort: reusePort)
            case .unix(let address): try BoundSocket(address, listener.access)
            }
        } catch {
            throw StartError(explained(error, listener, passed), listeningOn: listener)
        }
    }

    /// The error, or a better one if systemd itself has opened the address that is in use.
    private static func explained(
        _ error: TransportError, _ listener: ListenerConfiguration, _ passed: PassedSockets
    ) -> TransportError {
        guard error.kind == .addressInUse, let address = try? ListenerAddress(listener).tcpAddress,
            let name = passed.untaken(at: address)
        else { return error }
        return TransportError(
            .system,
            "cannot listen on \(address): systemd passed the socket \(name) for this address; write systemd:\(name) instead of it"
        )
    }

    /// Checks what the configuration of listeners that systemd does not open shows before the start.
    static func check(_ address: ListenerAddress, of listener: ListenerConfiguration) throws(TransportError) {
        guard case .systemd(_, let allowsNonLoopback) = listener.address, let address = address.tcpAddress else {
            return
        }
        guard address.ip.isLoopback || allowsNonLoopback else {
            throw TransportError(
                .system,
                "cannot listen on \(listener): systemd passed the socket of \(address), which other machines can reach; change "
                    + "ListenStream= in the .socket unit, or set allowNonLoopback: true")
        }
        guard let allow = listener.allow, allow.contains(where: { $0.user != nil || $0.group != nil }) else { return }
        throw TransportError(
            .system,
            "cannot listen on \(listener): allow names local users, but systemd passed a TCP socket (\(address)), and the system "
                + "identifies local users only on a Unix socket; set ListenStream= in the .socket unit to a path")
    }
}

extension ListenerAddress {
    /// The address of a listener, whose host is a literal.
    init(_ listener: ListenerConfiguration) throws(TransportError) {
        switch listener.address {
        case .unix(let path, _): self = .unix(UnixAddress(path))
        case .systemd:
            throw TransportError(
                .resolution, "only systemd knows the address of \(listener); give the address in its .socket unit")
        case .tcp(let host, let port):
            guard let ip = IPAddress(literal: host) else {
                throw TransportError(.resolution, "\(host) is not an IP address; a listener needs one")
            }
            self = .tcp(SocketAddress(ip, port: port))
        }
    }
}

extension ListenerConfiguration {
    /// Who may connect to the file of a Unix socket.
    fileprivate var access: SocketFile.Access {
        guard case .unix(_, let file) = address else { return SocketFile.Access() }
        return SocketFile.Access(mode: file.mode, user: file.user, group: file.group)
    }
}
