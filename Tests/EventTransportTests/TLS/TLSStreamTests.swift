import Support
import Testing

@testable import EventTransport

@Suite("A stream over TLS")
final class TLSStreamTests {
    private let loop: EventLoop
    private let connector: Connector
    private let context: TLSContext
    private let certificates = TestCertificates.shared

    init() throws {
        loop = try EventLoop()
        connector = Connector(loop: loop)
        context = try TLSContext(caFile: TestCertificates.shared.caFile)
    }

    deinit { loop.finish() }

    private static let versions: [TLSTestServer.Version] = [.tls12, .tls13]

    @Test("carries a request and its response, head and body in one record", arguments: versions)
    func exchange(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            while true {
                // A read gives one record at most.
                let request = stream.read()
                guard !request.isEmpty else { return }
                stream.write("got " + String(decoding: request, as: UTF8.self))
            }
        }
        let connection = try connect(server)
        let recorder = connection.record()
        let (head, body): ([UInt8], [UInt8]) = (Array("head ".utf8), Array("body".utf8))
        #expect(connection.write(head.span, body.span) == .written)
        loop.runUntil { recorder.text == "got head body" }
        #expect(connection.write("again") == .written)
        loop.runUntil { recorder.text == "got head bodygot again" }
        connection.close()
    }

    @Test("delivers bytes that the server sends first, even if they came with the handshake", arguments: versions)
    func serverSpeaksFirst(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { $0.write("welcome") }
        let connection = try connect(server)
        let recorder = connection.record()
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "welcome")
        connection.close()
    }

    @Test("reports close_notify as the end, and can still write", arguments: versions)
    func halfClose(version: TLSTestServer.Version) throws {
        let heard = Monitor("")
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write("over")
            stream.end()
            let text = stream.read(until: "!")
            heard.access { $0 = text }
        }
        let connection = try connect(server)
        let recorder = connection.record()
        loop.runUntil { recorder.hasEnded }
        #expect(connection.write("and out!") == .written)
        connection.close()
        server.waitUntilIdle()
        #expect(heard.access { $0 } == "and out!")
        #expect(recorder.text == "over")
        #expect(!recorder.hasFailed)
    }

    @Test("ends its side by close_notify, and can still read", arguments: versions)
    func endsWriting(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            var heard = ""
            while true {
                let piece = stream.read()
                if piece.isEmpty { break }
                heard += String(decoding: piece, as: UTF8.self)
            }
            stream.write("heard \(heard)")
            stream.end()
        }
        let connection = try connect(server)
        let recorder = connection.record()
        #expect(connection.write("all of it") == .written)
        connection.endWriting()
        loop.runUntil { recorder.hasEnded || recorder.hasFailed }
        #expect(recorder.text == "heard all of it")
        #expect(!recorder.hasFailed)
        connection.close()
        server.waitUntilIdle()
    }

    @Test("reports an end without close_notify as a cut", arguments: versions)
    func truncation(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write("half of i")
            stream.cut()
        }
        let connection = try connect(server)
        let recorder = connection.record()
        loop.runUntil { recorder.hasFailed || recorder.hasEnded }
        #expect(recorder.text == "half of i")
        #expect(recorder.error?.kind == .truncated)
        #expect(recorder.error?.message.contains("without close_notify") == true)
        #expect(connection.isClosed)
    }

    @Test("reports a reset", arguments: versions)
    func reset(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            _ = stream.read(atMost: 1)
            stream.reset()
        }
        let connection = try connect(server)
        let recorder = connection.record()
        connection.write("xyz")
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls.last == .failed(.reset))
    }

    @Test("carries megabytes both ways with backpressure on both sides", arguments: versions)
    func bulk(version: TLSTestServer.Version) throws {
        let size = 6 << 20
        let server = TLSTestServer(identity: certificates.good, version: version, receiveBufferSize: 8192) { stream in
            // Echo in odd pieces, never more than one in hand: the client must read to be read.
            var echoed = 0
            while echoed < size {
                let piece = stream.read(atMost: 40_001)
                guard !piece.isEmpty, stream.write(piece) else { return }
                echoed += piece.count
            }
        }
        let connection = try connect(server)
        let recorder = connection.record()
        let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        var written = 0
        func send() {
            while written < size {
                let end = min(size, written + 70_000)
                let middle = written + (end - written) / 3
                let (head, body) = (Array(sent[written..<middle]), Array(sent[middle..<end]))
                written = end
                if connection.write(head.span, body.span) == .blocked { return }
            }
        }
        recorder.whenDrained = send
        // Pausing inside of every delivery leaves decrypted bytes in OpenSSL that raise no event.
        let resume = Timer(loop: loop) { connection.resumeReading() }
        recorder.whenReceived = { _ in
            connection.pauseReading()
            resume.schedule(after: .zero)
        }
        send()
        loop.runUntil { recorder.hasEnded || recorder.hasFailed }
        #expect(recorder.bytes == sent)
        #expect(!recorder.hasFailed)
        connection.close()
    }

    @Test("delivers bytes that OpenSSL holds after a pause, although the socket is silent", arguments: versions)
    func heldBytes(version: TLSTestServer.Version) throws {
        // Two reads' worth in the socket; the client takes one, pauses, and no new byte ever comes.
        let size = StreamConnection.firstReadSize + 20_000
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write([UInt8](repeating: 5, count: size))
            _ = stream.read()
        }
        let connection = try connect(server)
        let recorder = connection.record()
        let resume = Timer(loop: loop) { connection.resumeReading() }
        recorder.whenReceived = { _ in
            connection.pauseReading()
            resume.schedule(after: .milliseconds(1))
        }
        loop.runUntil { recorder.bytes.count == size }
        connection.close()
    }

    @Test("delivers nothing once it is closed inside a delivery", arguments: StreamReentrancyTests.Ending.allCases)
    func closedInside(ending: StreamReentrancyTests.Ending) throws {
        let server = TLSTestServer(identity: certificates.good) { stream in
            stream.write([UInt8](repeating: 1, count: 400_000))
        }
        let connection = try connect(server)
        let recorder = connection.record()
        recorder.whenReceived = { _ in ending.end(connection) }
        loop.runUntil { !recorder.calls.isEmpty && loop.lingering.isEmpty }
        var isOver = false
        let end = Timer(loop: loop) { isOver = true }
        end.schedule(after: .milliseconds(2))
        loop.runUntil { isOver }
        #expect(recorder.calls.count == 1)
    }

    @Test("sends queued bytes and close_notify in the background", arguments: [16 << 20, 1 << 20])
    func linger(size: Int) throws {
        // More than the kernel takes, and less: in both cases unread session tickets must not cost the rest.
        let counted = Monitor(0)
        let server = TLSTestServer(identity: certificates.good, receiveBufferSize: 65_536) { stream in
            var count = 0
            while case let piece = stream.read(), !piece.isEmpty { count += piece.count }
            counted.access { $0 = count }
        }
        let connection = try connect(server)
        _ = connection.record()
        connection.write([UInt8](repeating: 1, count: size))
        connection.close()
        loop.runUntil { loop.lingering.isEmpty }
        server.waitUntilIdle()
        #expect(counted.access { $0 } == size)
    }

    @Test("is resumed from the session of the connection before", arguments: versions)
    func resumption(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write(stream.isResumed ? "resumed" : "full")
        }
        var texts: [String] = []
        for _ in 0..<3 {
            let connection = try connect(server)
            let recorder = connection.record()
            loop.runUntil { recorder.hasEnded }
            texts.append(recorder.text)
            connection.close()
        }
        #expect(texts == ["full", "resumed", "resumed"])
    }

    @Test("is resumed although the connection before was cut or aborted", arguments: versions, [true, false])
    func resumptionAfterCut(version: TLSTestServer.Version, isAborted: Bool) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write(stream.isResumed ? "resumed" : "full")
            if !isAborted { stream.cut() } else { _ = stream.read() }
        }
        for count in 0..<3 {
            let connection = try connect(server)
            let recorder = connection.record()
            loop.runUntil { isAborted ? !recorder.text.isEmpty : recorder.hasFailed }
            #expect(recorder.text == (count > 0 ? "resumed" : "full"))
            connection.abort()
        }
    }

    @Test("is not resumed for another name, nor by another context")
    func resumptionApart() throws {
        let server = TLSTestServer(identity: certificates.good) { $0.write($0.isResumed ? "resumed" : "full") }
        for (name, context) in [
            ("localhost", context), ("backend.test", context),
            ("localhost", try TLSContext(caFile: certificates.caFile)),
        ] {
            let connection = try connect(server, as: name, context)
            let recorder = connection.record()
            loop.runUntil { recorder.hasEnded }
            #expect(recorder.text == "full")
            connection.close()
        }
    }

    private func connect(
        _ server: TLSTestServer, as name: String = "localhost", _ context: TLSContext? = nil
    ) throws -> StreamConnection {
        let outcome = Outcome()
        connector.connect(
            to: .init(host: "127.0.0.1", port: server.port, tls: context ?? self.context, serverName: name),
            timeout: .seconds(30), outcome.set)
        return try outcome.wait(loop).get()
    }
}
