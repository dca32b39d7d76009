/// A door that is shut until somebody opens it; then it stays open.
package final class Gate: Sendable {
    private let isOpen = Monitor(false)
    private let name: String

    package init(_ name: String = "a gate opens") {
        self.name = name
    }

    package func open() {
        isOpen.access { $0 = true }
    }

    /// Waits until the door is open.
    ///
    /// Whoever opens it may wait for several things first, so this wait is longer than all of them.
    package func wait() throws {
        try isOpen.wait(name, for: Patience.limit * 3) { $0 ? () : nil }
    }
}
