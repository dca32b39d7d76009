package import Logging
import EventTransport
import ProxyConfiguration
import ProxyCore
import TokenManager

/// A token server, a backend that wants its tokens and the proxy, all in this process, and the proof that they work.
package struct Demonstration {
    private let print: @Sendable (String) -> Void
    private let logger: Logger

    /// - Parameter print: takes one line for the person who watches; called from any thread.
    package init(logger: Logger, print: @escaping @Sendable (String) -> Void) {
        self.logger = logger
        self.print = print
    }

    /// Shows it, and stays up until a signal unless `once`.
    ///
    /// - Returns: whether everything was as told.
    package func run(once: Bool) throws(StartError) -> Bool {
        let stage = try Stage(logger: logger)
        let outcome = Outcome()
        if !once { try stage.proxy.handleSignals() }
        let (print, show) = (print, stage.show)
        stage.whenServing {
            let told = await show.perform(print)
            outcome.set(told)
            if once || !told {
                show.proxy.drain()
            } else {
                show.invite(print)
            }
        }
        stage.proxy.run()
        stage.end()
        return outcome.value
    }
}
