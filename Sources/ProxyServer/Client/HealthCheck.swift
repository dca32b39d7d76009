import EventTransport
import HTTPWire
package import ProxyConfiguration
import TokenClient

/// Requests a page from the admin listener of a running proxy, for a container's health check.
package enum HealthCheck {
    /// The page that is requested.
    package enum Page: String, Sendable {
        case liveness = "/livez"
        case readiness = "/readyz"
    }

    /// Requests the page on a loop of its own, for a few seconds at most.
    ///
    /// - Parameters:
    ///   - admin: The address of the admin listener.
    ///   - page: The page to request.
    /// - Returns: Nil if the status is 200, else what is wrong.
    package static func failure(of admin: ListenerConfiguration, page: Page) -> String? {
        do throws(TransportError) {
            let loop = try EventLoop()
            let address = try ListenerAddress(admin)
            let verdict = LoopBound(Verdict(), loop: loop)
            let client = LocalClient(loop: loop)
            Task(executorPreference: loop) {
                let answer = await client.get(page.rawValue, host: Self.host, from: address)
                loop.execute {
                    verdict.value.failure =
                        switch answer {
                        case .success(let answer) where answer.status == 200: nil
                        case .success(let answer):
                            "\(address)\(page.rawValue): \(text(answer.body))"
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

    /// The `Host` of the request; the admin listener does not take 0.0.0.0, and a Unix socket has none of its own.
    private static let host = "localhost"

    /// The page's text for a terminal: another server may listen there, so only line breaks stay as they are.
    static func text(_ body: [UInt8]) -> String {
        let end = body.last == UInt8(ascii: "\n") ? body.count - 1 : body.count
        let lines = String(decoding: body[..<end], as: UTF8.self).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.map { JSONText.escaped(Substring($0)) }.joined(separator: "\n")
    }

    private final class Verdict {
        var failure: String? = "no answer"
    }
}
