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

    @Test("accepts a wildcard for one label", arguments: [("one.wild.test", true), ("one.two.wild.test", false)])
    func wildcard(name: String, isAccepted: Bool) throws {
        let server = TLSTestServer(identity: certificates.good) { _ in }
        #expect((connect(server, as: name).failure == nil) == isAccepted)
    }

    @Test("refuses an unknown authority")
    func unknownAuthority() throws {
        let server = TLSTestServer(identity: certificates.unknown) { _ in }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsVerification)
        #expect(
            error.message
                == "certificate of 127.0.0.1:\(server.port) is not trusted: unable to get local issuer certificate; "
                + "name a PEM file of the authority that issued it in tls.caFile of the configuration file, or in the environment "
                + "variable SSL_CERT_FILE")
    }

    @Test("accepts that authority when it is configured, and then no other")
    func configuredAuthority() throws {
        let server = TLSTestServer(identity: certificates.unknown) { _ in }
        #expect(throws: Never.self) {
            try connect(server, as: "localhost", caFile: certificates.otherCAFile).get()
        }
        let other = TLSTestServer(identity: certificates.good) { _ in }
        #expect(connect(other, as: "localhost", caFile: certificates.otherCAFile).failure?.kind == .tlsVerification)
    }

    @Test("refuses a certificate for another name, and names its names", arguments: ["backend.test", nil])
    func badHost(name: String?) throws {
        let server = TLSTestServer(identity: certificates.badHost) { _ in }
        let error = try #require(connect(server, as: name).failure)
        #expect(error.kind == .tlsVerification)
        #expect(
            error.message.contains("is for another name: other.test, not \(name ?? "127.0.0.1"); use that name"))
    }

    @Test("never takes the common name for a host name (RFC 9110 section 4.3.4)")
    func commonName() throws {
        let server = TLSTestServer(identity: certificates.commonNameOnly) { _ in }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsVerification)
        #expect(
            error.message
                == "certificate of 127.0.0.1:\(server.port) has no subjectAltName for localhost, and its common name "
                + "does not count; install one that lists localhost in subjectAltName")
        let addressed = TLSTestServer(identity: certificates.commonNameAndAddress) { _ in }
        #expect(
            connect(addressed, as: "localhost").failure?.message.contains("for another name: 192.0.2.1, not localhost")
                == true)
    }

    @Test("reports that the trusted file lacks the root")
    func intermediateOnly() throws {
        let server = TLSTestServer(identity: certificates.belowIntermediate) { _ in }
        let error = try #require(connect(server, as: "localhost", caFile: certificates.intermediateCAFile).failure)
        #expect(error.kind == .tlsVerification)
        #expect(error.message.contains("without the root that issued it; add the root certificate to that file"))
    }

    @Test("refuses an expired certificate")
    func expired() throws {
        let server = TLSTestServer(identity: certificates.expired) { _ in }
        let error = try #require(connect(server, as: "localhost").failure)
        #expect(error.kind == .tlsVerification)
        #expect(error.message.contains("certificate has expired"))
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
        #expect(connect(server, as: "localhost", context: context).failure?.kind == .tlsVerification)
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
