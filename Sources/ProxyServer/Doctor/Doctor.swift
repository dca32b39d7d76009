import EventTransport
package import ProxyConfiguration
import TokenManager

/// Examines a configuration with its token servers and backends, on a loop of its own.
package enum Doctor {
    /// The request that every backend gets, without and with its credential.
    package struct Request: Sendable {
        package let method: String
        package let path: String

        /// - Throws: The problem with one of them, for a person.
        package init(method: String, path: String) throws(Problem) {
            guard ["GET", "HEAD"].contains(method) else {
                throw Problem(path: "--method", message: "must be GET or HEAD, because the request must change nothing")
            }
            guard path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x23 }) else {
                throw Problem(
                    path: "--path",
                    message: "must begin with / and contain only ASCII characters, without spaces and #")
            }
            self.method = method
            self.path = path
        }
    }

    /// Why there is no report.
    package struct Failure: Error {
        package let reason: String
    }

    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - request: The request to the backends.
    ///   - progress: Called with what is being tried, on the loop.
    /// - Returns: The report. After a signal it holds what is finished, and a new refresh token has been written.
    /// - Throws: If the system has no resources for it.
    package static func examine(
        _ configuration: Configuration, _ request: Request, progress: @escaping @Sendable (String) -> Void
    ) throws(Failure) -> DoctorReport {
        do throws(TransportError) {
            let loop = try EventLoop()
            let examination = Examination(configuration, request, .ofThisProcess(), loop: loop, progress: progress)
            let outcome = LoopBound(Outcome(), loop: loop)
            let signals = try EndingSignals.catching(on: loop) { name in
                guard !outcome.value.isEnding else { return }
                outcome.value.isEnding = true
                Task(executorPreference: loop) {
                    let report = await examination.end(by: name)
                    loop.execute {
                        outcome.value.report = report
                        loop.stop()
                    }
                }
            }
            Task(executorPreference: loop) {
                let report = await examination.run()
                loop.execute {
                    guard !outcome.value.isEnding else { return }
                    outcome.value.report = report
                    loop.stop()
                }
            }
            withExtendedLifetime(signals) { loop.run() }
            guard let report = outcome.value.report else {
                preconditionFailure("an examination ended without a report")
            }
            return report
        } catch {
            throw Failure(reason: error.message)
        }
    }

    private final class Outcome {
        var report: DoctorReport?
        /// Whether a signal has come.
        var isEnding = false
    }
}
