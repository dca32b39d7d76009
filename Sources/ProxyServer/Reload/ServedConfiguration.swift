import ProxyConfiguration
import ProxyCore

/// The number by which all workers know a listener, as long as it is open.
typealias ListenerNumber = Int

/// A configuration that the workers serve, with what is derived from it once for all of them.
struct ServedConfiguration: Sendable {
    /// The number of configurations that were served before it.
    let serial: Int
    let configuration: Configuration
    let routes: RouteTable
    let numbers: StableNumbers

    /// The configuration of the start.
    init(_ configuration: Configuration) {
        serial = 0
        self.configuration = configuration
        routes = configuration.routeTable
        numbers = StableNumbers(configuration)
    }

    /// The configuration that takes the place of another one.
    init(_ configuration: Configuration, after old: ServedConfiguration) {
        serial = old.serial + 1
        self.configuration = configuration
        routes = configuration.routeTable
        numbers = old.numbers.following(old.configuration, with: configuration)
    }
}
