import Logging
import ProxyConfiguration
import Support
import Testing

@testable import EventTransport
@testable import ProxyServer

/// A proxy running in this process, on free ports, from the text of a configuration file.
///
/// Whoever makes one stops it.
final class ProxyUnderTest: Sendable {
    let log = CapturedLog()
    private let server: ProxyServer
    private let loop: EventLoop
    private let thread: BackgroundThread

    /// `loop` is one that the test holds up now and then.
    convenience init(yaml: String, environment: [String: String] = [:], loop: EventLoop? = nil) throws {
        var flags = Flags()
        flags.configurationFile = TextFileReader.path
        let files = TextFileReader(text: yaml)
        try self.init(configuration: .load(flags: flags, environment: environment, files: files), loop: loop)
    }

    /// A proxy that loads its configuration again from a file.
    convenience init(file: String, passed: PassedSockets = .none) throws {
        var flags = Flags()
        flags.configurationFile = file
        let load: @Sendable () -> Result<Configuration, ConfigurationError> = { [flags] in
            do throws(ConfigurationError) {
                return .success(try Configuration.load(flags: flags, environment: [:]))
            } catch {
                return .failure(error)
            }
        }
        let source = ConfigurationSource(file: file, load: load)
        try self.init(configuration: load().get(), passed: passed, source: source)
    }

    init(
        configuration: Configuration, passed: PassedSockets = .none, source: ConfigurationSource? = nil,
        loop: EventLoop? = nil
    ) throws {
        let log = log
        let loop = try loop ?? EventLoop()
        self.loop = loop
        let server = try ProxyServer(
            configuration: configuration, passed: passed, logger: Logger(label: "test") { _ in log }, source: source,
            loop: loop)
        self.server = server
        // Otherwise the loop would belong to this thread until the other one runs it, and a drain could come in between.
        loop.disown()
        thread = BackgroundThread("proxy under test") { server.run() }
    }

    var port: UInt16 { ports.first ?? 0 }
    /// The ports of the listeners, in the order of the configuration.
    var ports: [UInt16] { server.listenerAddresses.map { Self.port(of: "\($0)") } }
    var adminPort: UInt16 { Self.port(of: server.adminAddress.map { "\($0)" }) }

    func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// One GET to the admin listener.
    func admin(_ path: String) throws -> ReceivedResponse {
        let client = try RawClient(port: adminPort)
        defer { client.close() }
        return try client.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }

    /// One POST to the admin listener, or a request with another method, without a body.
    func post(
        _ path: String, method: String = "POST", host: String = "localhost", fields: String = ""
    ) throws -> ReceivedResponse {
        let client = try RawClient(port: adminPort)
        defer { client.close() }
        return try client.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\nConnection: close\r\n\(fields)\r\n")
    }

    /// Moves the clock of the proxy's first loop on, behind all that the loop has taken up.
    func pass(_ time: Duration) throws {
        let passed = Gate("the proxy's loop runs")
        loop.execute { [loop] in
            loop.advance(by: time)
            passed.open()
        }
        try passed.wait()
    }

    /// Begins to drain and returns at once.
    func drain() {
        server.drain()
    }

    /// Waits until `run` has returned.
    func waitForEnd() throws {
        try thread.join()
    }

    /// Drains, and waits for the end.
    func stop() {
        drain()
        do {
            try waitForEnd()
        } catch {
            Issue.record("the proxy did not end after drain()")
        }
    }

    private static func port(of address: String?) -> UInt16 {
        let digits = address?.split(separator: ":").last.map(String.init) ?? ""
        return UInt16(digits) ?? 0
    }
}
