/// The time limits of the end after SIGTERM.
package struct Shutdown: Equatable, Sendable {
    /// How long the listeners stay open after `/readyz` says no.
    package var drainDelay: Duration = .zero
    /// How long running exchanges may then take to finish.
    package var gracePeriod: Duration = .seconds(30)

    package init(drainDelay: Duration = .zero, gracePeriod: Duration = .seconds(30)) {
        self.drainDelay = drainDelay
        self.gracePeriod = gracePeriod
    }
}
