/// A backend on a free port of 127.0.0.1: a script sees the bytes received on each connection and chooses the bytes sent.
///
/// Each connection's script runs on a thread of its own; when it returns or throws, the connection is closed. Whoever makes
/// a server stops it.
package final class ScriptedServer: Sendable {
    package typealias Script = @Sendable (ScriptedConnection) throws -> Void

    /// What happened so far.
    package struct Journal: Sendable {
        /// Requests received whole, in the order of their ends.
        package var requests: [ReceivedRequest] = []
        /// Heads received, whether or not a body followed.
        package var heads: [ReceivedRequest] = []
        package var accepted = 0
        package var closed = 0
        /// What scripts threw.
        package var failures: [String] = []
        var open: [Int: BlockingSocket] = [:]
        var isStopped = false
    }

    private let listener: ListeningSocket
    private let journal = Monitor(Journal())

    package init(port: UInt16 = 0, _ script: @escaping Script) throws {
        let listener = try ListeningSocket(port: port)
        self.listener = listener
        let journal = journal
        _ = BackgroundThread("scripted server") {
            while let socket = listener.accept() {
                let number: Int? = journal.access {
                    guard !$0.isStopped else { return nil }
                    let number = $0.accepted
                    $0.accepted += 1
                    $0.open[number] = socket
                    return number
                }
                guard let number else { break }
                _ = BackgroundThread("scripted connection") {
                    Self.serve(socket, number: number, journal: journal, script)
                }
            }
            listener.close()
        }
    }

    /// Answers every request on every connection with what `answer` gives, until the peer closes.
    package convenience init(
        port: UInt16 = 0, answering answer: @escaping @Sendable (ReceivedRequest) throws -> String
    ) throws {
        try self.init(port: port, Self.answering(answer))
    }

    /// The script of a backend that answers every request and keeps the connection.
    package static func answering(_ answer: @escaping @Sendable (ReceivedRequest) throws -> String) -> Script {
        { connection in
            while let request = try connection.request() { try connection.send(try answer(request)) }
        }
    }

    package var port: UInt16 { listener.port }
    package var authority: String { "127.0.0.1:\(port)" }
    package var url: String { "http://\(authority)" }

    package var requests: [ReceivedRequest] { journal.access { $0.requests } }
    package var heads: [ReceivedRequest] { journal.access { $0.heads } }
    package var connectionCount: Int { journal.access { $0.accepted } }
    package var failures: [String] { journal.access { $0.failures } }

    /// Waits until the journal satisfies a condition.
    package func wait(_ what: String, until condition: (Journal) -> Bool) throws {
        try journal.wait(what) { condition($0) ? () : nil }
    }

    /// Waits until every connection accepted so far was closed from the other side, or by its script.
    package func waitUntilAllClosed() throws {
        try wait("the connections to the backend are closed") { $0.closed == $0.accepted }
    }

    /// Closes the port and every connection.
    package func stop() {
        listener.interrupt()
        journal.access {
            $0.isStopped = true
            for socket in $0.open.values { socket.interrupt() }
        }
    }

    private static func serve(
        _ socket: BlockingSocket, number: Int, journal: Monitor<Journal>, _ script: Script
    ) {
        do {
            try script(ScriptedConnection(number: number, socket: socket, journal: journal))
        } catch {
            journal.access { $0.failures.append("connection \(number): \(error)") }
        }
        socket.close()
        journal.access {
            $0.open[number] = nil
            $0.closed += 1
        }
    }
}
