import ProxyConfiguration
import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitConfigurationChangesTests {
    private func route(_ name: String, credential: String? = nil) -> Route {
        Route(
            name: name, match: RouteMatch(host: .exact("\(name).example"), port: .any), upstream: .requestedHostOverTLS,
            credential: credential)
    }

    private func credential(_ name: String, _ value: String) -> CredentialConfiguration {
        CredentialConfiguration(name: name, source: .fixed(.literal(value)))
    }

    @Test func `The lines name what was added, changed and removed, and no value`() {
        let old = Configuration(
            credentials: [credential("a", "secret-1"), credential("b", "x")],
            routes: [route("one"), route("two"), route("three")])
        let new = Configuration(
            listeners: [ListenerConfiguration(host: "127.0.0.1", port: 4000)],
            credentials: [credential("a", "secret-2"), credential("c", "x")],
            routes: [route("one"), route("two", credential: "a"), route("four")], unmatched: .forward, cacheSize: 5)
        #expect(
            ConfigurationChanges(from: old, to: new).lines == [
                "listeners: added 127.0.0.1:4000; removed 127.0.0.1:3128",
                "routes: added four; changed two; removed three",
                "credentials: added c; changed a; removed b", "settings: changed unmatched, cacheSize",
            ])
        #expect(ConfigurationChanges(from: old, to: old).lines.isEmpty)
        var turned = old
        turned.routes.reverse()
        #expect(ConfigurationChanges(from: old, to: turned).lines == ["routes: another order"])
    }

    @Test func `What a running process cannot change stays, and is named each time`() {
        let old = Configuration()
        let new = Configuration(
            admin: ListenerConfiguration(host: "127.0.0.1", port: 1), accessLog: .off, logFormat: .text,
            workers: .automatic)
        let changes = ConfigurationChanges(from: old, to: new)
        #expect(changes.needsRestart == ["workers", "admin", "accessLog", "logFormat"])
        #expect(changes.lines.isEmpty)
        #expect(changes.applicable.admin == nil && changes.applicable.workers == old.workers)
        #expect(ConfigurationChanges(from: changes.applicable, to: new).needsRestart == changes.needsRestart)
    }

    /// A change of each setting, by the name of its field.
    private static let changes: [String: @Sendable (inout Configuration) throws -> Void] = [
        "listeners": { $0.listeners = [] },
        "credentials": { $0.credentials = [CredentialConfiguration(name: "new", source: .fixed(.literal("x")))] },
        "routes": {
            $0.routes = [
                Route(
                    name: "new", match: RouteMatch(host: .exact("new.example"), port: .any),
                    upstream: .requestedHostOverTLS)
            ]
        },
        "unmatched": { $0.unmatched = .forward },
        "connect": { $0.connect = ConnectRules(routes: .terminate) },
        "upstreamProxy": { $0.upstreamProxy = UpstreamProxy(host: "parent.example", port: 1) },
        "tokenServerProxy": { $0.tokenServerProxy = UpstreamProxy(host: "parent.example", port: 1) },
        "resolve": { $0.resolve = [NameOverride(host: "new.example", addresses: ["127.0.0.1"])] },
        "allowAddresses": { $0.allowAddresses = [try Network("10.0.0.0/8")] },
        "cacheSize": { $0.cacheSize += 1 },
        "limits": { $0.limits.connections += 1 },
        "admin": { $0.admin = ListenerConfiguration(host: "127.0.0.1", port: 1) },
        "accessLog": { $0.accessLog = .off },
        "accessLogFields": { $0.accessLogFields = [] },
        "logLevel": { $0.logLevel = .error },
        "logFormat": { $0.logFormat = .text },
        "tracing": { $0.tracing = TracingConfiguration(endpoint: try TokenURL("http://127.0.0.1:1/v1/traces")) },
        "workers": { $0.workers = .count(7) },
        "shutdown": { $0.shutdown.gracePeriod += .seconds(1) },
        "reloadsOnChange": { $0.reloadsOnChange.toggle() },
    ]

    /// What is no setting: where the configuration comes from, and what is suspicious about it.
    private static let ignored: Set = ["file", "warnings", "fileChecks"]

    @Test func `A change of each setting is either put in force and told, or needs a restart and stays`() throws {
        let fields = Set(Mirror(reflecting: Configuration()).children.compactMap(\.label))
        #expect(fields == Self.ignored.union(Self.changes.keys), "a new setting needs a place in ConfigurationChanges")
        for (field, change) in Self.changes {
            let old = Configuration()
            var new = old
            try change(&new)
            let changes = ConfigurationChanges(from: old, to: new)
            #expect(changes.lines.count + changes.needsRestart.count == 1, "\(field)")
            // What needs a restart does not come into force; everything else does.
            let isApplied = ConfigurationChanges(from: old, to: changes.applicable).lines == changes.lines
            #expect(isApplied, "\(field)")
            #expect(ConfigurationChanges(from: old, to: changes.applicable).needsRestart.isEmpty, "\(field)")
        }
    }

    @Test func `A route keeps its number by its name, and a credential only with its settings`() {
        let old = Configuration(
            credentials: [credential("a", "1"), credential("b", "1")], routes: [route("one"), route("two")])
        var kept = credential("b", "1")
        kept.isRequired = false
        let new = Configuration(
            credentials: [kept, credential("a", "2")], routes: [route("two"), route("three")])
        let first = StableNumbers(old)
        let second = first.following(old, with: new)
        #expect(second.routes == [1, 2])
        #expect(second.routeNames == ["one", "two", "three"])
        #expect(second.credentials == [1, 2])
        #expect(second.credentialNames == ["a", "b", "a"])
        #expect(second.currentCredentials == ["a": 2, "b": 1])
        let third = second.following(new, with: old)
        #expect(third.routes == [0, 1])
        #expect(third.credentials == [3, 1])
    }
}
