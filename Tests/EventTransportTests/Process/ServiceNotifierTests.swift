import EventTransport
import Glibc
import Support
import Testing

@Suite("Notifications to a service manager")
struct ServiceNotifierTests {
    @Test(
        "One message with a line for each assignment arrives at a path or an abstract name", arguments: [true, false])
    func tell(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let name = isAbstract ? "@attache-\(getpid())-\(directory.path.hashValue)" : directory.file("notify")
        let socket = try NotificationSocket(name)
        let manager = try #require(ServiceNotifier(socket: name))
        manager.tell("READY=1", "STATUS=Listening")
        #expect(try socket.receive() == ["READY=1", "STATUS=Listening"])
        manager.tell("STOPPING=1")
        #expect(try socket.receive() == ["STOPPING=1"])
    }

    @Test("Without a socket's name there is no service manager", arguments: [nil, "", "@", "/", "notify", "vsock:2:1"])
    func noSocket(name: String?) {
        #expect(ServiceNotifier(socket: name) == nil)
    }

    @Test("A missing receiver, or a name too long for a socket, does no harm")
    func nobody() throws {
        for name in ["/nowhere/notify", "@\(String(repeating: "x", count: 200))"] {
            try #require(ServiceNotifier(socket: name)).tell("READY=1")
        }
    }

    @Test("A receiver that stalls gets the messages that fit, and the rest is dropped without a wait")
    func stalled() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let name = directory.file("notify")
        let socket = try NotificationSocket(name)
        let manager = try #require(ServiceNotifier(socket: name))
        // Many more than a queue of datagrams holds (net.unix.max_dgram_qlen); a wait for each would take too long.
        for number in 0..<2_000 { manager.tell("STATUS=\(number)") }
        #expect(try socket.receive() == ["STATUS=0"])
    }

    @Test(
        "The limit of the watchdog is for the process that it names",
        arguments: [
            ("30000000", nil, Duration.seconds(30)), ("1", "7", .microseconds(1)), ("30000000", "8", nil),
            (nil, "7", nil), ("0", nil, nil), ("-1", nil, nil), ("soon", nil, nil), ("99999999999999999999", nil, nil),
        ] as [(String?, String?, Duration?)])
    func watchdogLimit(microseconds: String?, process: String?, limit: Duration?) {
        #expect(ServiceNotifier.watchdogLimit(microseconds: microseconds, process: process, own: 7) == limit)
    }
}
