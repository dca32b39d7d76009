import ProxyConfiguration
import ProxyCore
import Testing

@Suite("Every key outside credentials and routes")
struct SettingTableTests {
    static let limits = [
        "limits: { headBytes: 1KiB }",
        "limits: { headBytes: 1MiB }",
        "limits: { headBytes: 4096 }",
        "limits: { fieldCount: 1 }",
        "limits: { fieldCount: 128 }",
        "limits: { connections: 1000000 }",
        "limits: { headTimeout: 1ms }",
        "limits: { headTimeout: 24h }",
        "limits: { bodyTimeout: 30s }",
        "limits: { connectTimeout: 5s }",
        "limits: { responseTimeout: 75s }",
        "limits: { streamIdleTimeout: 5m }",
        "limits: { idleTimeout: 75s }",
        "limits: { acquireTimeout: 10s }",
        "limits: { tunnelIdleTimeout: 5m }",
        "limits: { tunnelTimeout: 24h }",
        "limits: { replayBytes: 64KiB }",
        "limits: { replayBytes: 0 }",
    ]

    static let listeners = [
        "listeners:\n- address: 127.0.0.1:1\n  mode: forward\n- address: '[::1]:1'",
        "listeners:\n- { address: 0.0.0.0:1, allowNonLoopback: true }",
        "listeners:\n- address: 127.0.0.1:0\n- address: 127.0.0.1:0",
        "listeners:\n- address: unix:/run/attache/proxy.sock\n- address: 'unix:@attache'\n- address: unix:/x",
        "listeners:\n- { address: unix:/x, socketMode: 0660, socketUser: app, socketGroup: web }",
        "listeners:\n- { address: unix:/x, socketMode: '777', socketUser: 0, socketGroup: 4294967294 }",
        "listeners:\n- { address: unix:/x, allowNonLoopback: false, routes: [] }",
        "listeners:\n- { address: unix:/x, socketMode: 0666, allow: [{ user: app }, { group: web }, { user: 0, group: 0, routes: [] }] }",
        "listeners:\n- { address: 'unix:@x', allow: [{ user: 1 }] }",
        "listeners:\n- { address: systemd, allowNonLoopback: true }\n- { address: 'systemd:a-b.c', allow: [{ user: 1 }] }",
    ]

    static let rest = [
        "admin: { address: 127.0.0.1:9901 }",
        "admin: { address: 0.0.0.0:1, allowNonLoopback: true }",
        "admin: { address: 127.0.0.1:9901, hosts: [attache, attache.internal.example] }",
        "admin: { address: unix:/run/admin.sock, socketMode: 0660, socketGroup: web }",
        "unmatched: forward",
        "logLevel: debug",
        "logFormat: text",
        "tracing: { endpoint: http://127.0.0.1:4318 }",
        "tracing: { endpoint: https://otel.example/otlp/v1/traces, sampleRatio: 0.25, serviceName: edge, resourceAttributes: { a.b: c } }",
        "tracing: { endpoint: http://otel.example:4318, sampleRatio: 0 }",
        "logFormat: json",
        "cacheSize: 1",
        "cacheSize: 100000",
        "accessLog: { path: stdout }",
        "accessLog: { path: stderr }",
        "accessLog: { path: off }",
        "accessLog: { path: /var/log/attache.log }",
        "accessLog: { path: access.log }",
        "accessLog: { path: stdout, fields: [default] }",
        "accessLog: { fields: [time, status, query] }",
        "workers: 1",
        "workers: 256",
        "workers: auto",
        "workers: 'auto'",
        "shutdown: { drainDelay: 0s, gracePeriod: 0s }",
        "shutdown: { drainDelay: 1h, waitForIdle: 1h, gracePeriod: 24h }",
    ]

    @Test("A valid setting is accepted", arguments: limits + listeners + rest)
    func accepted(setting: String) {
        #expect(problems(setting.contains("unmatched") ? setting : setting + "\nunmatched: forward\n") == [])
    }

    @Test("The settings are read as they are written")
    func values() throws {
        let configuration = try load(
            """
            listeners:
              - { address: "127.0.0.1:1" }
              - { address: "[::]:2", allowNonLoopback: true }
            unmatched: forward
            cacheSize: 7
            limits: { headBytes: 2KiB, fieldCount: 3, connections: 4, headTimeout: 5ms, bodyTimeout: 6s, connectTimeout: 7m,
                      responseTimeout: 8h, streamIdleTimeout: 11h, idleTimeout: 9s, acquireTimeout: 10s,
                      tunnelIdleTimeout: 13s, tunnelTimeout: 14s }
            connect: { allow: ["A.example:443", "*.b.example:80", "*:1", "[::1]:2"], deny: ["c.example:443"], routes: tunnel }
            admin: { address: "127.0.0.1:3" }
            accessLog: { path: /var/log/a, fields: [traceId, default, firstByteMs] }
            workers: auto
            shutdown: { drainDelay: 11s, waitForIdle: 3s, gracePeriod: 12s }
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
        #expect([limits.tunnelIdleTimeout, limits.tunnelTimeout] == [.seconds(13), .seconds(14)])
        let allow = [
            ConnectRules.Pattern(host: .exact("a.example"), port: 443), .init(host: .suffix(".b.example"), port: 80),
            .init(host: .suffix(""), port: 1), .init(host: .exact("::1"), port: 2),
        ]
        let deny = [ConnectRules.Pattern(host: .exact("c.example"), port: 443)]
        #expect(configuration.connect == ConnectRules(allow: allow, deny: deny, routes: .tunnel))
        #expect(configuration.admin?.description == "127.0.0.1:3")
        #expect(configuration.accessLog == .file("/var/log/a"))
        #expect(configuration.accessLogFields == [.traceId] + AccessLogField.standard + [.firstByteMs])
        #expect(configuration.workers == .automatic)
        #expect(
            configuration.shutdown
                == Shutdown(drainDelay: .seconds(11), waitForIdle: .seconds(3), gracePeriod: .seconds(12)))
    }

    @Test("The settings of listeners are read as they are written")
    func listenerValues() throws {
        let configuration = try load(
            """
            listeners:
            - { address: "unix:/run/a", socketMode: 0660, socketUser: app, socketGroup: web, routes: [r] }
            - { address: "unix:@b", mode: gateway, route: r }
            admin: { address: "unix:/run/c", socketUser: 5 }
            routes: [{ name: r, match: { host: a.example } }]
            """)
        let file = SocketFileConfiguration(mode: 0o660, user: 1001, group: 33)
        #expect(
            configuration.listeners == [
                ListenerConfiguration(address: .unix("/run/a", file), routes: ["r"]),
                ListenerConfiguration(address: .unix("@b"), mode: .gateway(route: "r")),
            ])
        #expect(configuration.listeners.map(\.summary) == ["unix:/run/a, route r", "unix:@b, gateway to route r"])
        let admin = SocketFileConfiguration(mode: 0o600, user: 5)
        #expect(configuration.admin == ListenerConfiguration(address: .unix("/run/c", admin)))
        #expect(configuration.admin?.place == "a.yaml:4:19: admin.address")
    }

    @Test("The clients of listeners are read as they are written")
    func clientValues() throws {
        let configuration = try load(
            """
            listeners:
            - address: "unix:@a"
              allow: [{ user: app, routes: [r] }, { user: 7, group: web }]
            - { address: "unix:@b", mode: gateway, route: r, allow: [{ group: 8 }] }
            routes: [{ name: r, match: { host: a.example } }]
            """)
        #expect(
            configuration.listeners.map(\.allow) == [
                [ClientRule(user: 1001, routes: ["r"]), ClientRule(user: 7, group: 33)], [ClientRule(group: 8)],
            ])
        #expect(
            configuration.listeners.map(\.summary) == [
                "unix:@a, for user 1001 (route r), user 7 in group 33", "unix:@b, gateway to route r, for group 8",
            ])
        #expect(configuration.warnings == [])
    }

    @Test("Users with passwords are read, and no text about a listener shows a password")
    func users() throws {
        let configuration = try load(
            """
            listeners:
            - { address: 127.0.0.1:1, passwordFile: /users, allow: [{ username: app, routes: [r] }, { username: other }] }
            - { address: "unix:@b", passwordFile: /users }
            routes: [{ name: r, match: { host: a.example } }]
            """)
        #expect(configuration.listeners.map(\.passwordFile) == ["/users", "/users"])
        #expect(
            configuration.listeners.map(\.summary) == [
                "127.0.0.1:1, with passwords, for username app (route r), username other", "unix:@b, with passwords",
            ])
    }

    @Test("Sockets of systemd are read as they are written")
    func systemd() throws {
        let configuration = try load(
            """
            listeners:
            - { address: systemd:proxy, allowNonLoopback: true }
            - { address: systemd:orders, mode: gateway, route: r, hosts: [x.example] }
            admin: { address: systemd }
            routes: [{ name: r, match: { host: a.example } }]
            """)
        #expect(
            configuration.listeners.map(\.address) == [.systemd("proxy", allowsNonLoopback: true), .systemd("orders")])
        #expect(configuration.admin?.address == .systemd(nil))
    }

    @Test("A missing setting has its default")
    func defaults() throws {
        let configuration = try load("unmatched: forward")
        #expect(configuration.listeners.map(\.description) == ["127.0.0.1:3128"])
        #expect(configuration.admin == nil)
        #expect(configuration.accessLog == .standardOutput)
        #expect(configuration.accessLogFields == AccessLogField.standard)
        #expect(configuration.workers == .count(1))
        #expect(configuration.cacheSize == 100)
        #expect(configuration.shutdown == Shutdown(drainDelay: .zero, gracePeriod: .seconds(30)))
        #expect(configuration.limits == Limits())
        // Feeds and long polls are silent for 60 s.
        #expect(configuration.limits.responseTimeout == .seconds(75))
        #expect(configuration.limits.streamIdleTimeout == .seconds(300))
    }
}
