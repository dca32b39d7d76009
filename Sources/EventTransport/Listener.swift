package final class Listener {
    package let address: SocketAddress
    /// Told what went wrong with accepting; the listener goes on by itself.
    package var failed: ((TransportError) -> Void)?
    package init(
        loop: EventLoop, address: SocketAddress, backlog: Int32 = 4096, reusePort: Bool,
        accepted: @escaping (consuming Socket) -> Void
    ) throws(TransportError) { fatalError("stub") }
    package func pause() { fatalError("stub") }
    package func resume() { fatalError("stub") }
    package func close() { fatalError("stub") }
}
