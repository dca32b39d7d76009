/// The time limits after SIGTERM.
package struct Shutdown: Equatable, Sendable {
    /// How long the listeners stay open after `/readyz` reports not ready.
    package var drainDelay: Duration = .zero
    /// How long running exchanges may then take to finish.
    package var gracePeriod: Duration = .seconds(30)

    package init(drainDelay: Duration = .zero, gracePeriod: Duration = .seconds(30)) {
        self.drainDelay = drainDelay
        self.gracePeriod = gracePeriod
    }
}
