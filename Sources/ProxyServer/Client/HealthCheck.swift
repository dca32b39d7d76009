import EventTransport
package import ProxyConfiguration

/// Asks a running proxy's admin listener whether it lives, for a container's health check.
package enum HealthCheck {
    /// - Parameter admin: where the admin listener is.
    /// - Returns: nil where it lives, else why not, for a person.
    package static func failure(of admin: ListenerConfiguration) -> String? {
        do throws(TransportError) {
            let loop = try EventLoop()
            let address = try SocketAddress(admin)
            let verdict = LoopBound(Verdict(), loop: loop)
            let client = LocalClient(loop: loop)
            Task(executorPreference: loop) {
                let answer = await client.get("/livez", host: "\(address)", from: address)
                loop.execute {
                    verdict.value.failure =
                        switch answer {
                        case .success(let answer) where answer.status == 200: nil
                        case .success(let answer): "\(address)/livez answered \(answer.status)"
                        case .failure(let failure): "\(address): \(failure.reason)"
                        }
                    loop.stop()
                }
            }
            loop.run()
            return verdict.value.failure
        } catch {
            return error.message
        }
    }

    private final class Verdict {
        var failure: String? = "no answer"
    }
}
