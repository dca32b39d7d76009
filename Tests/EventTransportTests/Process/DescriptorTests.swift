import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("Descriptors")
struct DescriptorTests {
    @Test("are all closed at the end, however a connection ended")
    func balance() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(DescriptorTests.expectBalance) }
    }

    private static func expectBalance() throws {
        try DescriptorTable.separate()
        let certificates = TestCertificates.shared
        // Once beforehand: OpenSSL keeps a few of its own.
        try exercise(certificates)
        let before = Descriptors.open
        try exercise(certificates)
        #expect(Descriptors.open == before, "\(Descriptors.open) after \(before)")
    }

    private static func exercise(_ certificates: TestCertificates) throws {
        let loop = try EventLoop()
        let connector = Connector(loop: loop)
        let good = TLSTestServer(identity: certificates.good) { $0.write($0.read(atMost: 10)) }
        let bad = TLSTestServer(identity: certificates.badHost) { _ in }
        let plain = TLSTestServer(identity: nil) { _ = $0.read(until: "x") }
        defer { for server in [good, bad, plain] { server.stop() } }
        let tls = try TLSContext(caFile: certificates.caFile)
        for (port, tls, timeout) in [
            (good.port, tls as TLSContext?, 10_000), (good.port, tls, 10_000), (bad.port, tls, 10_000),
            (plain.port, tls, 20), (plain.port, nil, 10_000), (1, nil, 10_000),
        ] {
            let outcome = Outcome()
            connector.connect(
                to: .init(host: "localhost", port: port, tls: tls), timeout: .milliseconds(timeout), outcome.set)
            guard let connection = try? outcome.wait(loop).get() else { continue }
            let recorder = connection.record()
            connection.write("x")
            loop.runUntil { recorder.hasEnded }
            connection.close()
        }
        let thread = try EventLoop.startThread(name: "x") { _ in }
        thread.loop.stop()
        thread.join()
        for ending in StreamReentrancyTests.Ending.allCases {
            let pair = try StreamPair.tcp(loop)
            _ = pair.connection.record()
            pair.connection.write([UInt8](repeating: 0, count: 8 << 20))
            ending.end(pair.connection)
        }
        loop.stop()
        loop.run()
    }
}
