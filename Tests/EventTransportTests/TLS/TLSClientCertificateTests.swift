import Support
import Testing

@testable import EventTransport

@Suite("TLS with a client certificate")
final class TLSClientCertificateTests {
    private let loop: EventLoop
    private let connector: Connector
    private let certificates = TestCertificates.shared

    init() throws {
        loop = try EventLoop()
        connector = Connector(loop: loop)
    }

    deinit { loop.finish() }

    @Test(
        "A server that asks for a certificate gets it, even when a session is resumed",
        arguments: [TLSTestServer.Version.tls12, .tls13])
    func shown(version: TLSTestServer.Version) throws {
        let server = server(version)
        let context = try TLSContext(caFile: certificates.caFile, identity: identity(certificates.good))
        for _ in 0..<2 { #expect(try said(by: server, context) == "\(size(certificates.good)) bytes") }
    }

    @Test("A server that does not ask does not get it")
    func notAsked() throws {
        let server = TLSTestServer(identity: certificates.good) { $0.write("\($0.clientCertificate.count) bytes") }
        let context = try TLSContext(caFile: certificates.caFile, identity: identity(certificates.good))
        #expect(try said(by: server, context) == "0 bytes")
    }

    @Test(
        "Without a certificate, or with one of another authority, such a server does not answer",
        arguments: [TLSTestServer.Version.tls12, .tls13])
    func refused(version: TLSTestServer.Version) throws {
        for identity in [nil, identity(certificates.unknown)] {
            let server = server(version)
            let context = try TLSContext(caFile: certificates.caFile, identity: identity)
            var answer = ""
            // TLS 1.2 tells during the handshake, TLS 1.3 behind it.
            do { answer = try said(by: server, context) } catch {
                #expect((error as? TransportError)?.kind == .tlsHandshake, "\(error)")
            }
            #expect(answer == "")
            server.waitUntilIdle()
            #expect(server.handshakeErrors.count == 1)
        }
    }

    @Test("A key of another certificate, and a text that is no key or certificate, is refused at once")
    func unusable() throws {
        let good = (
            TemporaryDirectory.read(certificates.good.certificateFile),
            TemporaryDirectory.read(certificates.good.keyFile)
        )
        let other = TemporaryDirectory.read(certificates.badHost.keyFile)
        for (chain, key) in [(good.0, other), (good.0, "canary"), ("canary", good.1), (good.1, good.0), ("", "")] {
            let error = #expect(throws: TransportError.self) {
                _ = try TLSContext(caFile: nil, identity: TLSIdentity(chain: chain, privateKey: key))
            }
            #expect(error?.kind == .tlsConfiguration)
            #expect(error?.message.contains("cannot use the client certificate") == true)
            #expect(error?.message.contains("canary") == false)
        }
        #expect("\(TLSIdentity(chain: good.0, privateKey: good.1))" == "<identity>")
    }

    @Test("A chain that is cut inside its second certificate is refused with the reason")
    func cut() throws {
        let leaf = TemporaryDirectory.read(certificates.good.certificateFile)
        let key = TemporaryDirectory.read(certificates.good.keyFile)
        let issuer = TemporaryDirectory.read(certificates.caFile).split(separator: "\n")
        for count in 1..<issuer.count {
            let chain = leaf + issuer[..<count].map { "\($0)\n" }.joined()
            let error = #expect(throws: TransportError.self, "\(count) lines") {
                _ = try TLSContext(caFile: nil, identity: TLSIdentity(chain: chain, privateKey: key))
            }
            #expect(error?.message.contains("the certificate chain is incomplete") == true)
        }
        let whole = leaf + issuer.joined(separator: "\n")
        for end in ["", "\n", "\nwords behind it\n", "\n" + key] {
            _ = try TLSContext(caFile: nil, identity: TLSIdentity(chain: whole + end, privateKey: key))
        }
    }

    @Test("The message names a key that does not match")
    func misfit() throws {
        let chain = TemporaryDirectory.read(certificates.good.certificateFile)
        let key = TemporaryDirectory.read(certificates.badHost.keyFile)
        let error = #expect(throws: TransportError.self) {
            _ = try TLSContext(caFile: nil, identity: TLSIdentity(chain: chain, privateKey: key))
        }
        #expect(error?.message.contains("key values mismatch") == true, "\(String(describing: error))")
    }

    private func server(_ version: TLSTestServer.Version) -> TLSTestServer {
        TLSTestServer(identity: certificates.good, version: version, clientCAFile: certificates.caFile) {
            $0.write("\($0.clientCertificate.count) bytes")
        }
    }

    private func identity(_ files: TestCertificates.Identity) -> TLSIdentity {
        TLSIdentity(
            chain: TemporaryDirectory.read(files.certificateFile), privateKey: TemporaryDirectory.read(files.keyFile))
    }

    /// How many bytes the certificate has in DER.
    private func size(_ files: TestCertificates.Identity) -> Int {
        let text = TemporaryDirectory.read(files.certificateFile)
        let base64 = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return base64.utf8.count / 4 * 3 - base64.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    }

    private func said(by server: TLSTestServer, _ context: TLSContext) throws -> String {
        let outcome = Outcome()
        connector.connect(
            to: .init(host: "127.0.0.1", port: server.port, tls: context, serverName: "localhost"),
            timeout: .seconds(30), outcome.set)
        let connection = try outcome.wait(loop).get()
        let recorder = connection.record()
        loop.runUntil { recorder.hasEnded || recorder.hasFailed }
        connection.close()
        return recorder.text
    }
}
