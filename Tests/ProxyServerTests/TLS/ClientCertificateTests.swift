import EventTransport
import Logging
import ProxyCore
import Support
import Testing
import TokenManager

@testable import ProxyServer

@Suite("Client certificates of routes")
struct ClientCertificateTests {
    private static let certificates = TestCertificates.shared

    /// A backend that wants a certificate, and files that hold the one to show.
    private struct Stage {
        let backend: TLSBackend
        let directory: TemporaryDirectory

        func present(_ identity: TestCertificates.Identity) throws {
            try directory.write(TemporaryDirectory.read(identity.certificateFile), to: "client.pem")
            try directory.write(TemporaryDirectory.read(identity.keyFile), to: "client.key")
        }

        func tls(_ certificate: String, _ key: String) -> String {
            "tls: { caFile: \(certificates.caFile), clientCertificate: \(certificate), clientKey: \(key) }"
        }

        func route(_ host: String, _ tls: String) -> String {
            "{ name: \(host), match: { host: \(host) }, upstream: \"https://localhost:\(backend.port)\", \(tls) }"
        }

        /// The certificate of the connection that carried a request, in DER.
        func certificate(of target: String) -> [UInt8]? {
            backend.requests.last { $0.target == target }.map { backend.clientCertificates[$0.connection] }
        }
    }

    private func withStage(
        answering answer: @escaping @Sendable (ReceivedRequest) -> TLSBackend.Answer = {
            .keep(Scripts.response($0.target))
        }, _ body: (Stage) throws -> Void
    ) throws {
        let backend = TLSBackend(clientCAFile: Self.certificates.caFile, answering: answer)
        defer { backend.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try body(Stage(backend: backend, directory: directory))
    }

    @Test("Routes with different certificates to one backend never share a connection, and one without is refused")
    func kept() throws {
        let (good, other) = (Self.certificates.good, Self.certificates.badHost)
        try withStage { stage in
            let layout = Layout(routesBefore: [
                stage.route("a.test", stage.tls(good.certificateFile, good.keyFile)),
                stage.route("b.test", stage.tls(other.certificateFile, other.keyFile)),
                stage.route("none.test", "tls: { caFile: \(Self.certificates.caFile) }"),
            ])
            try withScene(layout) { scene in
                let client = try scene.client()
                defer { client.close() }
                for round in 0..<3 {
                    for host in ["a.test", "b.test"] {
                        #expect(try client.get("http://\(host)/\(host)/\(round)").status == 200)
                    }
                }
                #expect(stage.backend.connectionCount == 2)
                let shown = ["a.test", "b.test"].map { host in
                    Set((0..<3).map { stage.certificate(of: "/\(host)/\($0)") })
                }
                #expect(shown[0].count == 1 && shown[1].count == 1 && shown[0] != shown[1])
                #expect(try client.get("http://none.test/").status == 502)
            }
        }
    }

    @Test("New connections use a replaced certificate, and requests in flight finish")
    func replaced() throws {
        let gate = Gate()
        let answer: @Sendable (ReceivedRequest) -> TLSBackend.Answer = { request in
            if request.target == "/slow" { try? gate.wait() }
            return .keep(Scripts.response(request.target))
        }
        try withStage(answering: answer) { stage in
            try stage.present(Self.certificates.good)
            let pair = (stage.directory.file("client.pem"), stage.directory.file("client.key"))
            let layout = Layout(routesBefore: [stage.route("a.test", stage.tls(pair.0, pair.1))])
            try withScene(layout) { scene in
                let (slow, client) = (try scene.client(), try scene.client())
                defer {
                    slow.close()
                    client.close()
                }
                #expect(try client.get("http://a.test/first").status == 200)
                try slow.send("GET http://a.test/slow HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try Patience.poll("the slow request") { stage.certificate(of: "/slow") }
                // Of a pair that is being replaced one file is older than the other: nothing changes.
                try stage.directory.write("canary-9", to: "client.key")
                try Patience.poll("a warning") { () -> Void? in
                    guard (try? client.get("http://a.test/x").status) == 200 else { return nil }
                    return scene.proxy.log.text.contains("client certificate not replaced") ? () : nil
                }
                try stage.present(Self.certificates.badHost)
                try Patience.poll("the new certificate") { () -> Void? in
                    guard (try? client.get("http://a.test/y").status) == 200 else { return nil }
                    return stage.certificate(of: "/y") == stage.certificate(of: "/first") ? nil : ()
                }
                gate.open()
                #expect(try slow.response().status == 200)
                for _ in 0..<3 {
                    #expect(try slow.get("http://a.test/z").status == 200)
                    #expect(stage.certificate(of: "/z") == stage.certificate(of: "/y"))
                }
                #expect(stage.certificate(of: "/slow") == stage.certificate(of: "/first"))
                #expect(!scene.proxy.log.text.contains("canary-9"))
            }
        }
    }

    @Test("A pair that does not match is checked once, until one of its files changes")
    func unfit() throws {
        let (good, other) = (Self.certificates.good, Self.certificates.badHost)
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let files = ClientCertificateFiles(
            certificate: directory.file("client.pem"), privateKey: directory.file("client.key"))
        func present(_ certificate: TestCertificates.Identity, _ key: TestCertificates.Identity) throws {
            try directory.write(TemporaryDirectory.read(certificate.certificateFile), to: "client.pem")
            try directory.write(TemporaryDirectory.read(key.keyFile), to: "client.key")
        }
        try present(good, good)
        let log = CapturedLog()
        var now = MonotonicInstant(nanoseconds: 0)
        let identity = try ClientIdentity(
            files, holding: ClientIdentity.read(files).get(), at: now, logger: Logger(label: "test") { _ in log }
        ) { known, done in
            done(ClientIdentity.look(at: files.paths, known: known) { ClientIdentity.read(files) })
        }
        func lookTwice() {
            for _ in 0..<2 {
                now = now.advanced(by: .seconds(2))
                identity.renew(at: now)
            }
        }
        func count(_ message: String) -> Int { log.text.split(separator: "\n").count { $0.contains(message) } }
        for (certificate, warnings) in [(other, 1), (good, 1), (other, 2)] {
            try present(certificate, good)
            lookTwice()
            #expect(count("client certificate not replaced") == warnings)
            #expect(identity.generation == 0)
        }
        try present(other, other)
        lookTwice()
        #expect(count("client certificate replaced") == 1)
        #expect(count("client certificate not replaced") == 2)
        #expect(identity.generation == 1)
    }

    @Test("Files that cannot be read for ten seconds are reported once, and used when they can be read")
    func hangingFiles() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try directory.write(TemporaryDirectory.read(Self.certificates.good.certificateFile), to: "client.pem")
        try directory.write(TemporaryDirectory.read(Self.certificates.good.keyFile), to: "client.key")
        let files = ClientCertificateFiles(
            certificate: directory.file("client.pem"), privateKey: directory.file("client.key"))
        let log = CapturedLog()
        let start = MonotonicInstant(nanoseconds: 0)
        var readings: [(ClientIdentity.Look) -> Void] = []
        let identity = try ClientIdentity(
            files, holding: ClientIdentity.read(files).get(), at: start, logger: Logger(label: "test") { _ in log }
        ) { known, done in
            #expect(known == nil)
            readings.append(done)
        }
        func look() -> ClientIdentity.Look {
            ClientIdentity.look(at: files.paths, known: nil) { ClientIdentity.read(files) }
        }
        func warnings() -> [Substring] { log.text.split(separator: "\n") }
        for second in 1...10 { identity.renew(at: start.advanced(by: .seconds(second))) }
        #expect(readings.count == 1 && warnings().isEmpty)
        for second in 11...60 { identity.renew(at: start.advanced(by: .seconds(second))) }
        #expect(readings.count == 1 && warnings().count == 1)
        #expect(warnings().first?.contains("client.key could not be read for 10 s") == true)
        readings.removeFirst()(look())
        identity.renew(at: start.advanced(by: .seconds(61)))
        #expect(readings.count == 1)
        readings.removeFirst()(look())
        #expect(identity.generation == 0 && warnings().count == 1)
    }
}
