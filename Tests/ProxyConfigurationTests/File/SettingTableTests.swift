import ProxyConfiguration
import ProxyCore
import Testing

/// A file that is in order but for one setting.
struct SettingCase: Sendable, CustomTestStringConvertible {
    let text: String
    /// How the only problem begins, after `a.yaml:`; nil if there is none.
    let problem: String?

    var testDescription: String { text }

    init(_ text: String, _ problem: String? = nil) {
        self.text = text
        self.problem = problem
    }
}

@Suite("Every key outside credentials and routes: good, wrong type, out of range")
struct SettingTableTests {
    static let limits: [SettingCase] = [
        .init("limits: { headBytes: 1KiB }"), .init("limits: { headBytes: 1MiB }"),
        .init("limits: { headBytes: 4096 }"),
        .init("limits: { headBytes: 1023 }", "1:22: limits.headBytes: is out of range; write a size from 1KiB to 1MiB"),
        .init("limits: { headBytes: 2MiB }", "1:22: limits.headBytes: is out of range"),
        .init("limits: { headBytes: big }", "1:22: limits.headBytes: is not a size"),
        .init("limits: { headBytes: [1] }", "1:22: limits.headBytes: is a list; write a size as in 64KiB"),
        .init("limits: { headBytes: }", "1:22: limits.headBytes: has no value"),
        .init("limits: { fieldCount: 1 }"), .init("limits: { fieldCount: 128 }"),
        .init("limits: { fieldCount: 0 }", "1:23: limits.fieldCount: is out of range; write a number from 1 to 128"),
        .init("limits: { fieldCount: 129 }", "1:23: limits.fieldCount: is out of range"),
        .init("limits: { fieldCount: '9' }", "1:23: limits.fieldCount: is not a number"),
        .init("limits: { fieldCount: 1e2 }", "1:23: limits.fieldCount: is not a number"),
        .init("limits: { connections: 1000000 }"),
        .init("limits: { connections: 0 }", "1:24: limits.connections: is out of range"),
        .init("limits: { connections: 99999999999999999999 }", "1:24: limits.connections: is out of range"),
        .init("limits: { connections: { a: 1 } }", "1:24: limits.connections: is a mapping; write a number"),
        .init("limits: { headTimeout: 1ms }"), .init("limits: { headTimeout: 24h }"),
        .init(
            "limits: { headTimeout: 0s }", "1:24: limits.headTimeout: is out of range; write a duration from 1ms to 24h"
        ),
        .init("limits: { headTimeout: 25h }", "1:24: limits.headTimeout: is out of range"),
        .init("limits: { headTimeout: 10 }", "1:24: limits.headTimeout: is not a duration"),
        .init("limits: { bodyTimeout: 30s }"), .init("limits: { bodyTimeout: x }", "1:24: limits.bodyTimeout: is not"),
        .init("limits: { connectTimeout: 5s }"),
        .init("limits: { connectTimeout: 0ms }", "1:27: limits.connectTimeout: is out"),
        .init("limits: { responseTimeout: 75s }"), .init("limits: { streamIdleTimeout: 5m }"),
        .init("limits: { responseTimeout: [] }", "1:28: limits.responseTimeout: is a list"),
        .init("limits: { streamIdleTimeout: 0s }", "1:30: limits.streamIdleTimeout: is out of range"),
        .init(
            "limits: { upstreamTimeout: 30s }",
            "1:11: limits.upstreamTimeout: is no longer a key; write responseTimeout, to the end of the response's head, "
                + "and streamIdleTimeout, for silence inside its body"),
        .init("limits: { idleTimeout: 75s }"),
        .init("limits: { idleTimeout: 1d }", "1:24: limits.idleTimeout: is not a duration"),
        .init("limits: { acquireTimeout: 10s }"),
        .init("limits: { acquireTimeout: ~ }", "1:27: limits.acquireTimeout: has no value"),
        .init("limits: { replayBytes: 64KiB }"), .init("limits: { replayBytes: 0 }"),
        .init("limits: { replayBytes: 2MiB }", "1:24: limits.replayBytes: is out of range"),
        .init("limits: { headbytes: 64KiB }", "1:11: limits.headbytes: unknown key; did you mean headBytes?"),
        .init("limits: 5", "1:9: limits: is not a mapping"),
    ]

    static let listeners: [SettingCase] = [
        .init("listeners:\n- address: 127.0.0.1:1\n  mode: forward\n- address: '[::1]:1'"),
        .init("listeners:\n- { address: 0.0.0.0:1, allowNonLoopback: true }"),
        .init(
            "listeners:\n- { address: 0.0.0.0:1, allowNonLoopback: false }",
            "2:14: listeners[0].address: can be reached from other"),
        .init("listeners:\n- address: 10.1.1.1:1", "2:12: listeners[0].address: can be reached from other machines"),
        .init("listeners:\n- address: unix:/run/x", "2:12: listeners[0].address: Unix sockets are not supported yet"),
        .init("listeners:\n- address: localhost", "2:12: listeners[0].address: is not an address"),
        .init("listeners:\n- address: 80", "2:12: listeners[0].address: is not an address"),
        .init("listeners:\n- address: [a]", "2:12: listeners[0].address: is a list; write host:port"),
        .init("listeners:\n- mode: forward", "2:3: listeners[0]: address is missing"),
        .init(
            "listeners:\n- { address: 127.0.0.1:1, mode: gateway }",
            "2:33: listeners[0].mode: gateway is not supported yet; write forward"),
        .init(
            "listeners:\n- { address: 127.0.0.1:1, mode: forwrad }",
            "2:33: listeners[0].mode: is none of forward; did you mean forward?"),
        .init("listeners:\n- { address: 127.0.0.1:1, route: x }", "2:27: listeners[0].route: is not supported yet"),
        .init(
            "listeners:\n- { address: 127.0.0.1:1, allowNonLoopback: yes }",
            "2:45: listeners[0].allowNonLoopback: is not a boolean"),
        .init(
            "listeners:\n- { address: 127.0.0.1:1, allowNonLoopback: 'true' }",
            "2:45: listeners[0].allowNonLoopback: is not a boolean"),
        .init(
            "listeners:\n- { address: 127.0.0.1:1, adress: x }",
            "2:27: listeners[0].adress: unknown key; did you mean address?"),
        .init("listeners: []", "1:12: listeners: is empty"),
        .init("listeners: 127.0.0.1:1", "1:12: listeners: is not a list"),
        .init("listeners: { address: 127.0.0.1:1 }", "1:12: listeners: is not a list"),
        .init("listeners: [127.0.0.1:1]", "1:13: listeners[0]: is not a mapping"),
        .init("listeners:", "1:11: listeners: has no value"),
        .init(
            "listeners:\n- address: 127.0.0.1:1\n- address: 127.0.0.1:1",
            "3:3: listeners[1]: is an address that is listened on already"),
        .init("listeners:\n- address: 127.0.0.1:0\n- address: 127.0.0.1:0"),
    ]

    static let rest: [SettingCase] = [
        .init("admin: { address: 127.0.0.1:9901 }"), .init("admin: { address: 0.0.0.0:1, allowNonLoopback: true }"),
        .init(
            "admin: { address: 0.0.0.0:1 }",
            "1:19: admin.address: can be reached from other machines, which would see"),
        .init("admin: { allowNonLoopback: true }", "1:8: admin: address is missing"),
        .init("admin: { address: 127.0.0.1:1, allowNonLoopback: 1 }", "1:50: admin.allowNonLoopback: is not a boolean"),
        .init("admin: 127.0.0.1:9901", "1:8: admin: is not a mapping"),
        .init(
            "admin: { address: 127.0.0.1:1 }\nlisteners: [{ address: 127.0.0.1:1 }]",
            "1:8: admin: is an address that is listened on"),
        .init("unmatched: deny", "routes: there is none"), .init("unmatched: forward"),
        .init("unmatched: drop", "1:12: unmatched: is none of the words that are known here; write deny or forward"),
        .init("unmatched: [deny]", "1:12: unmatched: is a list; write deny or forward"),
        .init("cacheSize: 1"), .init("cacheSize: 100000"), .init("cacheSize: 0", "1:12: cacheSize: is out of range"),
        .init("cacheSize: 100001", "1:12: cacheSize: is out of range"),
        .init("cacheSize: ten", "1:12: cacheSize: is not a number"),
        .init("accessLog: { path: stdout }"), .init("accessLog: { path: stderr }"), .init("accessLog: { path: off }"),
        .init("accessLog: { path: /var/log/attache.log }"), .init("accessLog: { path: access.log }"),
        .init(
            "accessLog: { path: /nowhere/access.log }",
            "1:20: accessLog.path: names a file in a folder that does not exist"),
        .init("accessLog: { path: /var/log }", "1:20: accessLog.path: names a folder"),
        .init("accessLog: { path: '' }", "1:20: accessLog.path: is empty"),
        .init("accessLog: {}", "1:12: accessLog: path is missing"),
        .init("accessLog: off", "1:12: accessLog: is not a mapping"),
        .init("workers: 1"), .init("workers: 256"), .init("workers: auto"), .init("workers: 'auto'"),
        .init("workers: 0", "1:10: workers: is not a number of workers"),
        .init("workers: 257", "1:10: workers: is not"),
        .init("workers: many", "1:10: workers: is not"), .init("workers: [1]", "1:10: workers: is not"),
        .init("shutdown: { drainDelay: 0s, gracePeriod: 0s }"), .init("shutdown: { drainDelay: 1h, gracePeriod: 24h }"),
        .init(
            "shutdown: { drainDelay: 61m }",
            "1:25: shutdown.drainDelay: is out of range; write a duration from 0s to 1h"),
        .init("shutdown: { gracePeriod: 25h }", "1:26: shutdown.gracePeriod: is out of range"),
        .init(
            "shutdown: { grace: 1s }",
            "1:13: shutdown.grace: unknown key; the keys of shutdown are drainDelay or gracePeriod"),
        .init("connect: { allow: [] }", "1:1: connect: is not supported yet; remove it"),
        .init("upstreamProxy: http://p:1", "1:1: upstreamProxy: is not supported yet; remove it"),
        .init("listener: []", "1:1: listener: unknown key; did you mean listeners?"),
        .init("\"lis\\x1bteners\": []", "1:1: lis?teners: unknown key; did you mean listeners?"),
        .init("bogus: 1", "1:1: bogus: unknown key; the keys of a configuration are listeners, credentials"),
        .init("workers: 1\nworkers: 2", "2:1: workers: is given twice, first in line 1; keep one"),
        .init("- a", "1:1: is not a mapping"), .init("hello", "1:1: is not a mapping"),
    ]

    @Test("One setting, one verdict with its place", arguments: limits + listeners + rest)
    func verdict(setting: SettingCase) {
        let hasPolicy = setting.text.contains("unmatched") || ["- a", "hello"].contains(setting.text)
        let found = problems(hasPolicy ? setting.text : setting.text + "\nunmatched: forward\n")
        guard let problem = setting.problem else {
            #expect(found == [])
            return
        }
        #expect(found.count == 1)
        let separator = problem.first?.isNumber == true ? ":" : ": "
        #expect(found.first?.hasPrefix("a.yaml\(separator)\(problem)") == true, "\(found)")
    }

    @Test("What is read is what was written")
    func values() throws {
        let configuration = try load(
            """
            listeners:
              - { address: "127.0.0.1:1" }
              - { address: "[::]:2", allowNonLoopback: true }
            unmatched: forward
            cacheSize: 7
            limits: { headBytes: 2KiB, fieldCount: 3, connections: 4, headTimeout: 5ms, bodyTimeout: 6s, connectTimeout: 7m,
                      responseTimeout: 8h, streamIdleTimeout: 11h, idleTimeout: 9s, acquireTimeout: 10s }
            admin: { address: "127.0.0.1:3" }
            accessLog: { path: /var/log/a }
            workers: auto
            shutdown: { drainDelay: 11s, gracePeriod: 12s }
            """)
        #expect(configuration.listeners.map(\.description) == ["127.0.0.1:1", "[::]:2"])
        #expect(configuration.unmatched == .forward)
        #expect(configuration.cacheSize == 7)
        let limits = configuration.limits
        #expect([limits.headBytes, limits.fieldCount, limits.connections] == [2048, 3, 4])
        #expect(
            [limits.headTimeout, limits.bodyTimeout, limits.connectTimeout] == [
                .milliseconds(5), .seconds(6), .seconds(420),
            ])
        #expect(
            [limits.responseTimeout, limits.streamIdleTimeout, limits.idleTimeout, limits.acquireTimeout] == [
                .seconds(28_800), .seconds(39_600), .seconds(9), .seconds(10),
            ])
        #expect(configuration.admin?.description == "127.0.0.1:3")
        #expect(configuration.accessLog == .file("/var/log/a"))
        #expect(configuration.workers == .automatic)
        #expect(configuration.shutdown == Shutdown(drainDelay: .seconds(11), gracePeriod: .seconds(12)))
    }

    @Test("What is not written has its default")
    func defaults() throws {
        let configuration = try load("unmatched: forward")
        #expect(configuration.listeners.map(\.description) == ["127.0.0.1:3128"])
        #expect(configuration.admin == nil)
        #expect(configuration.accessLog == .standardOutput)
        #expect(configuration.workers == .count(1))
        #expect(configuration.cacheSize == 100)
        #expect(configuration.shutdown == Shutdown(drainDelay: .zero, gracePeriod: .seconds(30)))
        #expect(configuration.limits == Limits())
        // Feeds and long polls are silent for 60 s.
        #expect(configuration.limits.responseTimeout == .seconds(75))
        #expect(configuration.limits.streamIdleTimeout == .seconds(300))
    }
}
