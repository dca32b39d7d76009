/// A port of 127.0.0.1 where connections neither succeed nor fail, because the queue of its listener is full.
package final class HungPort: Sendable {
    package let number: UInt16
    private let listener: ListeningSocket
    private let filler: BlockingSocket

    package init() throws {
        listener = try ListeningSocket(backlog: 0)
        number = listener.port
        filler = try BlockingSocket(port: listener.port)
    }

    /// Closes the port, so that connections are refused from now on.
    package func close() { listener.close() }
}
