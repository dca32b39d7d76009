import EventTransport
import TokenClient

/// An HTTP client for one request at a time to this machine, for the health check and the demonstration.
struct LocalClient: Sendable {
    private let loop: EventLoop
    private let connector: LoopBound<Connector>

    private static let timeout: Duration = .seconds(5)

    /// Must be made on the loop's thread.
    init(loop: EventLoop) {
        self.loop = loop
        connector = LoopBound(Connector(loop: loop), loop: loop)
    }

    /// Sends GET for `target`, an absolute URL for a proxy or a path for an origin, to the server at `address`.
    func get(
        _ target: String, host: String, from address: ListenerAddress
    ) async -> Result<Fetch.Answer, Fetch.Failure> {
        await withCheckedContinuation { continuation in
            loop.execute { [loop, connector] in
                connect(connector.value, to: address) { result in
                    switch result {
                    case .success(let stream):
                        let fetch = Fetch(over: stream, deadline: loop.now.advanced(by: Self.timeout)) {
                            continuation.resume(returning: $0)
                        }
                        fetch.send(Array("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
                    case .failure(let error):
                        continuation.resume(
                            returning: .failure(Fetch.Failure(.transport(error), reason: error.message)))
                    }
                }
            }
        }
    }

    private func connect(
        _ connector: Connector, to address: ListenerAddress,
        _ done: @escaping (Result<StreamConnection, TransportError>) -> Void
    ) {
        switch address {
        case .tcp(let address):
            let place = Connector.Target(host: "\(address.ip)", port: address.port)
            _ = connector.connect(to: place, timeout: Self.timeout, done)
        case .unix(let address):
            do throws(TransportError) {
                done(.success(try StreamConnection.connected(to: address, loop: loop)))
            } catch {
                done(.failure(error))
            }
        }
    }
}
