import EventTransport
package import ProxyConfiguration
import TokenClient

/// Asks a running proxy's admin listener how it is, for a container's health check.
package enum HealthCheck {
    /// What is asked.
    package enum Page: String, Sendable {
        case liveness = "/livez"
        case readiness = "/readyz"
    }

    /// Asks, on a loop of its own, for a few seconds at most.
    ///
    /// - Parameters:
    ///   - admin: Where the admin listener is.
    ///   - page: What is asked.
    /// - Returns: Nil where all is well, else what is wrong, for a person.
    package static func failure(of admin: ListenerConfiguration, page: Page) -> String? {
        do throws(TransportError) {
            let loop = try EventLoop()
            let address = try SocketAddress(admin)
            let verdict = LoopBound(Verdict(), loop: loop)
            let client = LocalClient(loop: loop)
            Task(executorPreference: loop) {
                let answer = await client.get(page.rawValue, host: "\(address)", from: address)
                loop.execute {
                    verdict.value.failure =
                        switch answer {
                        case .success(let answer) where answer.status == 200: nil
                        case .success(let answer):
                            "\(address)\(page.rawValue): "
                                + String(decoding: answer.body.prefix(upTo: lineEnd(of: answer.body)), as: UTF8.self)
                        case .failure(let failure): failure.reason
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

    /// Where the page's text ends, less the line break that ends it.
    private static func lineEnd(of body: [UInt8]) -> Int {
        body.last == UInt8(ascii: "\n") ? body.count - 1 : body.count
    }

    private final class Verdict {
        var failure: String? = "no answer"
    }
}
