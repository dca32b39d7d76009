import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("TLS verification")
final class TLSVerificationTests {
    private let loop: EventLoop
    private let connector: Connector
    private let certificates = TestCertificates.shared

    init() throws {
        loop = try EventLoop()
        connector = Connector(loop: loop)
    }

    deinit { loop.finish() }

    @Test("accepts a server of its own authority", arguments: [TLSTestServer.Version.tls12, .tls13])
    func ownAuthority(version: TLSTestServer.Version) throws {
        let server = TLSTestServer(identity: certificates.good, version: version) { stream in
            stream.write("\(stream.version), name: \(stream.serverName ?? "none")")
        }
        let connection = try connect(server, as: "backend.test").get()
        let recorder = connection.record()
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "\(version == .tls12 ? "TLSv1.2" : "TLSv1.3"), name: backend.test")
        connection.close()
    }

    @Test("checks the certificate against an IP address too, and sends no SNI for it")
    func ipAddress() throws {
        let server = TLSTestServer(identity: certificates.good) { stream in
            stream.write("name: \(stream.serverName ?? "none")")
        }
        let connection = try connect(server, as: nil).get()
        let recorder = connection.record()
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.text == "name: none")
        connection.close()
    }

    @Test("accepts a wildcard for one label, and another authority if it is configured")
    func accepted() throws {
        let wild = TLSTestServer(identity: certificates.good) { _ in }
        #expect(throws: Never.self) { try connect(wild, as: "one.wild.test").get() }
        let other = TLSTestServer(identity: certificates.unknown) { _ in }
        #expect(throws: Never.self) {
            try connect(other, as: "localhost", caFile: certificates.otherCAFile).get()
        }
    }

    /// A certificate, the name that is asked for, and what the refusal says; `{port}` stands for the server's port.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let identity: @Sendable (TestCertificates) -> TestCertificates.Identity
        var name: String? = "localhost"
        var caFile: @Sendable (TestCertificates) -> String = { $0.caFile }
        let message: String
        /// Whether that is the whole message.
        var isWhole = false

        static let all = [
            Refusal(
                testDescription: "an unknown authority", identity: { $0.unknown },
                message: "certificate of 127.0.0.1:{port} is not trusted: unable to get local issuer certificate; "
                    + "the file that tls.caFile names lacks the authority that issued it: add that authority to the file, or "
                    + "name another file", isWhole: true),
            Refusal(
                testDescription: "another authority than the configured one", identity: { $0.good },
                caFile: { $0.otherCAFile }, message: "is not trusted"),
            Refusal(
                testDescription: "another name", identity: { $0.badHost }, name: "backend.test",
                message: "is for another name: other.test, not backend.test; use a name of the certificate"),
            Refusal(
                testDescription: "a name in place of the address", identity: { $0.badHost }, name: nil,
                message: "is for another name: other.test, not 127.0.0.1; use a name of the certificate"),
            Refusal(
                testDescription: "two labels for a wildcard", identity: { $0.good }, name: "one.two.wild.test",
                message: "is for another name"),
            // RFC 9110 section 4.3.4: the common name is never taken for a host name.
            Refusal(
                testDescription: "a common name alone", identity: { $0.commonNameOnly },
                message: "certificate of 127.0.0.1:{port} has no subjectAltName for localhost, and its common name "
                    + "does not count; install one that lists localhost in subjectAltName", isWhole: true),
            Refusal(
                testDescription: "a common name and an address", identity: { $0.commonNameAndAddress },
                message: "for another name: 192.0.2.1, not localhost"),
            Refusal(
                testDescription: "an intermediate without its root", identity: { $0.belowIntermediate },
                caFile: { $0.intermediateCAFile },
                message: "without the root that issued it; add the root certificate to that file"),
            Refusal(
                testDescription: "an expired certificate", identity: { $0.expired },
                message: "certificate has expired"),
        ]
    }

    @Test("refuses a certificate and says why", arguments: Refusal.all)
    func refuses(_ refusal: Refusal) throws {
        let server = TLSTestServer(identity: refusal.identity(certificates)) { _ in }
        let result = connect(server, as: refusal.name, caFile: refusal.caFile(certificates))
        let error = try #require(result.failure)
        #expect(error.kind == .tlsVerification)
        let message = refusal.message.replacing("{port}", with: "\(server.port)")
        #expect(refusal.isWhole ? error.message == message : error.message.contains(message), "\(error.message)")
    }

    @Test("refuses TLS 1.1")
    func oldVersion() throws {
        let server = TLSTestServer(identity: certificates.good, version: .tls11) { _ in }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsHandshake)
        #expect(error.message.contains("it needs TLS 1.2 or later"))
    }

    @Test("reports a server that speaks plain HTTP")
    func plainServer() throws {
        let server = TLSTestServer(identity: nil) { stream in
            _ = stream.read(atMost: 100)
            stream.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsHandshake)
        #expect(error.message.contains("does not speak TLS: wrong version number; is it a plain http:// port?"))
    }

    @Test("reports a server that closes the connection")
    func hangUp() throws {
        let server = TLSTestServer(identity: nil) { stream in
            _ = stream.read(atMost: 10000)
        }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsHandshake || error.kind == .reset)
        #expect(error.message.contains("handshake"))
    }

    @Test("names the file of authorities that is unusable")
    func badFile() throws {
        let missing = #expect(throws: TransportError.self) { _ = try TLSContext(caFile: "/nonexistent/ca.pem") }
        #expect(missing?.kind == .tlsConfiguration)
        #expect(missing?.message.contains("/nonexistent/ca.pem: No such file or directory") == true)
        let empty = #expect(throws: TransportError.self) { _ = try TLSContext(caFile: "/dev/null") }
        #expect(empty?.kind == .tlsConfiguration)
        #expect(empty?.message.contains("a PEM file of certificates is needed") == true)
    }

    @Test("trusts the file in SSL_CERT_FILE if none is configured")
    func environment() async {
        await #expect(processExitsWith: .success) {
            try ExitTestBody.run(TLSVerificationTests.trustEnvironment)
        }
    }

    private static func trustEnvironment() throws {
        setenv("SSL_CERT_FILE", TestCertificates.shared.caFile, 1)
        try expectSystemTrust(true)
        setenv("SSL_CERT_FILE", "/nonexistent", 1)
        try expectSystemTrust(false)
    }

    private static func expectSystemTrust(_ isTrusted: Bool) throws {
        let tests = try TLSVerificationTests()
        let server = TLSTestServer(identity: TestCertificates.shared.good) { _ in }
        defer { server.stop() }
        let result = tests.connect(server, as: "localhost", context: try TLSContext(caFile: nil))
        #expect((result.failure == nil) == isTrusted)
        if !isTrusted { #expect(result.failure?.kind == .tlsConfiguration) }
    }

    @Test("trusts no test authority by default")
    func systemTrust() throws {
        let server = TLSTestServer(identity: certificates.good) { _ in }
        let context = try TLSContext(caFile: nil)
        let failure = connect(server, as: "localhost", context: context).failure
        #expect(failure?.kind == .tlsVerification)
        #expect(
            failure?.message.hasSuffix(
                "; name a PEM file of the authority that issued it in tls.caFile of the configuration file, or in the "
                    + "environment variable SSL_CERT_FILE") == true)
    }

    private func connect(
        _ server: TLSTestServer, as name: String?, caFile: String? = nil, context: TLSContext? = nil
    ) -> Result<StreamConnection, TransportError> {
        Result { () throws(TransportError) in
            let tls =
                if let context { context } else { try TLSContext(caFile: caFile ?? certificates.caFile) }
            let outcome = Outcome()
            connector.connect(
                to: .init(host: "127.0.0.1", port: server.port, tls: tls, serverName: name), timeout: .seconds(30),
                outcome.set)
            return try outcome.wait(loop).get()
        }
    }
}
