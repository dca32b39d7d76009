/// How the process ends after SIGTERM.
package struct Shutdown: Equatable, Sendable {
    /// How long the listeners stay open, and answer, after readiness is withdrawn.
    package var drainDelay: Duration = .zero
    /// How long running exchanges may take to finish after that.
    package var gracePeriod: Duration = .seconds(30)

    package init(drainDelay: Duration = .zero, gracePeriod: Duration = .seconds(30)) {
        self.drainDelay = drainDelay
        self.gracePeriod = gracePeriod
    }
}
