import CLibevent
import Glibc
import Locking

/// The sockets that a service manager such as systemd has opened for this process (sd_listen_fds(3)).
///
/// Any thread. Each one can be taken once.
package final class PassedSockets: Sendable {
    /// No socket was passed.
    package static let none = PassedSockets([])

    /// A socket with its name (`FileDescriptorName=`).
    private struct Passed {
        let name: String
        let descriptor: Int32
        let fault: Fault?
        var isTaken = false
    }

    /// Why a descriptor is not taken.
    private enum Fault {
        /// It has since been given to something that this process has opened itself.
        case notOpen
        case notListening
    }

    /// The number of the first passed descriptor (SD_LISTEN_FDS_START).
    package static let first: Int32 = 3
    /// As many as a process may have without a privilege by systemd's defaults.
    private static let limit: Int32 = 4096
    /// What systemd calls a socket without a name.
    private static let unnamed = "unknown"

    private let sockets: Locked<[Passed]>

    private init(_ sockets: [Passed]) { self.sockets = Locked(sockets) }

    /// The sockets that variables of the environment name, if their descriptors are open and listen now.
    ///
    /// - Parameters:
    ///   - variable: Looks a variable up.
    ///   - process: The number of this process; sockets for another one are not taken.
    ///   - descriptor: The descriptor of the socket with this place in the list.
    package convenience init(
        _ variable: (String) -> String?, process: Int32, descriptor: (Int32) -> Int32 = { PassedSockets.first + $0 }
    ) {
        guard let intended = variable("LISTEN_PID").flatMap(Int32.init), intended == process,
            let count = variable("LISTEN_FDS").flatMap(Int32.init), (1...Self.limit).contains(count)
        else {
            self.init([])
            return
        }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        self.init(
            (0..<count).map { number in
                let name = Int(number) < names.count ? String(names[Int(number)]) : ""
                let descriptor = descriptor(number)
                return Passed(
                    name: name.isEmpty ? Self.unnamed : name, descriptor: descriptor, fault: Self.fault(of: descriptor))
            })
    }

    private static func fault(of descriptor: Int32) -> Fault? {
        guard fcntl(descriptor, F_GETFD) >= 0 else { return .notOpen }
        return attache_socket_listens(descriptor) ? nil : .notListening
    }

    /// Takes over the sockets of this process, and removes the variables that name them, so that no child takes them for
    /// its own.
    ///
    /// Must be called before the process has a second thread, and before it opens a descriptor that stays open.
    package static func takeOver() -> PassedSockets {
        // SAFETY: the process has one thread, so nothing changes the environment meanwhile; the text is copied at once.
        let passed = PassedSockets(
            { name in unsafe getenv(name).map { unsafe String(cString: $0) } }, process: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            // SAFETY: the process has one thread, so nobody reads the environment meanwhile.
            unsafe _ = unsetenv(name)
        }
        for socket in passed.sockets.withLock({ $0 }) where socket.fault != .notOpen {
            _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
        }
        return passed
    }

    /// The names of the sockets that nobody has taken.
    package var untaken: [String] {
        sockets.withLock { $0.filter { !$0.isTaken && $0.fault != .notOpen }.map(\.name) }
    }

    /// The name of a socket that nobody has taken and that listens on this TCP address.
    package func untaken(at address: SocketAddress) -> String? {
        sockets.withLock { sockets in
            sockets.first { socket in
                guard !socket.isTaken, socket.fault == nil else { return false }
                var local = attache_address()
                // SAFETY: the address is lent for the call.
                return unsafe attache_socket_local(socket.descriptor, &local) && SocketAddress(local) == address
            }?.name
        }
    }

    /// The name of the socket that `take` finds by a name or, as the only one, without; nil if there are several or none.
    package func name(of name: String?) -> String? {
        name ?? sockets.withLock { $0.count == 1 ? $0[0].name : nil }
    }

    /// Takes the socket of this name; without a name, the only one.
    ///
    /// - Throws: If there is none or more than one, or if it does not listen for streams over TCP or a Unix socket.
    package func take(_ name: String?) throws(TransportError) -> BoundSocket {
        let place = name.map { "systemd:\($0)" } ?? "systemd"
        let found = sockets.withLock { sockets -> Result<Int32, TransportError> in
            let found = sockets.indices.filter { name == nil || sockets[$0].name == name }
            guard let index = found.first, found.count == 1, !sockets[index].isTaken else {
                let isTaken = found.count == 1
                return .failure(
                    TransportError(.system, "cannot listen on \(place): \(Self.problem(sockets, found.count, isTaken))")
                )
            }
            if let fault = sockets[index].fault {
                let problem = Self.problem(fault, of: sockets[index].descriptor)
                return .failure(TransportError(.system, "cannot listen on \(place): \(problem)"))
            }
            sockets[index].isTaken = true
            return .success(sockets[index].descriptor)
        }
        return try BoundSocket(passed: Socket(owning: try found.get()), as: place)
    }

    private static func problem(_ fault: Fault, of descriptor: Int32) -> String {
        switch fault {
        case .notOpen:
            "LISTEN_FDS counts the descriptor \(descriptor), which was not open when attache started; start the .socket unit, which "
                + "starts the service"
        case .notListening:
            "the descriptor \(descriptor) is not a listening stream socket; use ListenStream= and Accept=no in the .socket unit"
        }
    }

    private static func problem(_ sockets: [Passed], _ count: Int, _ isTaken: Bool) -> String {
        guard !sockets.isEmpty else {
            return "systemd passed no socket to this process; start the .socket unit, which starts the service"
        }
        if isTaken { return "another listener has this socket; give each its own" }
        let names = sockets.map(\.name).joined(separator: ", ")
        return count == 0
            ? "systemd passed the sockets \(names); use one of these names, or change FileDescriptorName="
            : "systemd passed \(count) sockets that fit (\(names)); use one .socket unit with a FileDescriptorName= for each "
                + "listener, and name it in the address"
    }
}
