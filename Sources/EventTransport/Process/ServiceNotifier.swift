import CLibevent
import Glibc

/// Reports the state of the process to the service manager that started it, such as systemd (sd_notify(3)).
///
/// May be used from any thread. A message that cannot be delivered is dropped; the process works without a service
/// manager too.
package struct ServiceNotifier: Sendable {
    private let socket: [UInt8]

    /// Nil if the environment names no socket.
    package static let ofThisProcess = ServiceNotifier(socket: environment("NOTIFY_SOCKET"))

    /// How long after a `WATCHDOG=1` the service manager expects the next one; nil if it does not watch this process.
    package static let watchdogLimit = watchdogLimit(
        microseconds: environment("WATCHDOG_USEC"), process: environment("WATCHDOG_PID"), own: getpid())

    /// Reads the limit from the values of these variables.
    ///
    /// The text `process` names the process that is watched; nil stands for every process with these variables.
    package static func watchdogLimit(microseconds: String?, process: String?, own: Int32) -> Duration? {
        guard let count = microseconds.flatMap(Int64.init), count > 0, process == nil || process == String(own) else {
            return nil
        }
        return .microseconds(count)
    }

    /// - Parameter socket: A path, or `@` and a name in the abstract namespace; nil for none.
    package init?(socket: String?) {
        guard let socket, socket.hasPrefix("/") || socket.hasPrefix("@"), socket.utf8.count > 1 else { return nil }
        self.socket = Array(socket.utf8)
    }

    /// Sends assignments such as `READY=1` in one message.
    package func tell(_ assignments: String...) {
        let message = Array(assignments.joined(separator: "\n").utf8)
        // SAFETY: both arrays are lent for the call, with their sizes.
        _ = unsafe attache_notify(socket, socket.count, message, message.count)
    }

    private static func environment(_ name: String) -> String? {
        // SAFETY: nothing in this process changes the environment once it has a second thread, and the text is copied at once.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
