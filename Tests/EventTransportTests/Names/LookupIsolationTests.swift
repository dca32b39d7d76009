import Support
import Testing

@testable import EventTransport

/// That names which nobody answers cost those who ask for others nothing.
@Suite("Names without an answer")
final class LookupIsolationTests {
    static let patient = "options timeout:30 attempts:5\n"

    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("are abandoned with their sockets when no caller waits for them any more")
    func cancelled() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(LookupIsolationTests.cancelAll) }
    }

    private static func cancelAll() throws {
        let loop = try EventLoop()
        let server = try FakeNameServer(options: LookupIsolationTests.patient, isSilent: true)
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let before = Descriptors.socketCount
        let attempts = (0..<20).map { number in
            connector.connect(to: .init(host: "n\(number / 2).test", port: 80), timeout: .seconds(600)) { _ in
                Issue.record("the attempt is cancelled")
            }
        }
        loop.adopt()
        loop.runTurn()
        try server.wait("every name is asked for") { $0.count == 20 }
        #expect(Descriptors.socketCount == before + 10)
        for attempt in attempts.dropLast() { attempt.cancel() }
        #expect(Descriptors.socketCount == before + 1)
        attempts.last?.cancel()
        #expect(Descriptors.socketCount == before)
    }

    @Test("are abandoned when the attempt to connect times out")
    func timedOut() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(LookupIsolationTests.timeOut) }
    }

    private static func timeOut() throws {
        let loop = try EventLoop()
        let server = try FakeNameServer(options: LookupIsolationTests.patient, isSilent: true)
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let before = Descriptors.socketCount
        let outcome = Outcome()
        connector.connect(to: .init(host: "a.test", port: 80), timeout: .milliseconds(20), outcome.set)
        #expect(outcome.wait(loop).failure?.kind == .timedOut)
        #expect(Descriptors.socketCount == before)
    }

    @Test("do not delay a name of the configuration, however many there are")
    func isolated() throws {
        let server = try FakeNameServer(
            [
                "backend.test": .init(v4: [[127, 0, 0, 1]])
            ].merging((0..<200).map { ("n\($0).test", .silent) }) { first, _ in first },
            options: LookupIsolationTests.patient)
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        var failures: [TransportError] = []
        let attempts = (0..<200).map { number in
            connector.connect(to: .init(host: "n\(number).test", port: 80, isChosenByApp: true), timeout: .seconds(600))
            {
                if let failure = $0.failure { failures.append(failure) }
            }
        }
        let outcome = Outcome()
        connector.connect(
            to: .init(host: "backend.test", port: listener.tcp.port), timeout: .seconds(600), outcome.set)
        #expect(throws: Never.self) { try outcome.wait(loop).get() }
        #expect(failures.count == 200 - Resolver.chosenLimit)
        #expect(failures.allSatisfy { $0.kind == .tooManyLookups })
        #expect(
            failures.first?.message
                == "n64.test was not resolved, because 64 other names that apps chose still wait for the name servers; "
                + "try again later, or make it the upstream of a route")
        for attempt in attempts { attempt.cancel() }
    }

    @Test("make room when they are abandoned, and share a look-up, however many there are")
    func room() throws {
        let server = try FakeNameServer(
            ["good.test": .init(v4: [[127, 0, 0, 1]])], options: LookupIsolationTests.patient, isSilent: true)
        let resolver = Resolver(loop: loop, server)
        let waits = (0..<Resolver.chosenLimit).map { resolver.resolve("n\($0).test", isChosenByApp: true) { _ in } }
        #expect(resolver.resolve("n0.test", isChosenByApp: true) { _ in } != nil)
        #expect(resolver.resolve("other.test", isChosenByApp: true) { _ in } == nil)
        #expect(resolver.resolve("route.test") { _ in } != nil)
        waits.last??.cancel()
        #expect(resolver.resolve("other.test", isChosenByApp: true) { _ in } != nil)
        // A name that a route asks for as well does not count.
        #expect(resolver.resolve("n0.test") { _ in } != nil)
        #expect(resolver.resolve("another.test", isChosenByApp: true) { _ in } != nil)
    }
}
