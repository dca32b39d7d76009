import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("Sockets that a service manager passes")
struct PassedSocketsTests {
    /// The sockets of these descriptors, with the variables as systemd sets them.
    private static func passed(_ descriptors: [Int32], names: String?, process: Int32 = getpid()) -> PassedSockets {
        let variables = [
            "LISTEN_PID": "\(process)", "LISTEN_FDS": "\(descriptors.count)", "LISTEN_FDNAMES": names,
        ]
        return PassedSockets(
            { variables[$0] ?? nil }, process: getpid(), descriptor: { descriptors[Int($0)] })
    }

    private static func tcp() throws -> Int32 {
        let bound = try BoundSocket(SocketAddress(.loopbackV4, port: 0), reusePort: false)
        return withExtendedLifetime(bound) { fcntl(bound.descriptor, F_DUPFD, 0) }
    }

    private func problem(_ sockets: PassedSockets, _ name: String?) throws -> String {
        try #require(throws: TransportError.self) { try sockets.take(name) }.message
    }

    @Test("A socket is taken by its name, or as the only one, and all copies are the same one")
    func taken() throws {
        let bound = try BoundSocket(SocketAddress(.loopbackV4, port: 0), reusePort: false)
        let descriptor = fcntl(bound.descriptor, F_DUPFD, 0)
        _ = fcntl(descriptor, F_SETFL, 0)
        let sockets = Self.passed([descriptor], names: "proxy")
        #expect(sockets.untaken == ["proxy"])
        let socket = try sockets.take("proxy")
        #expect(socket.address == bound.address && socket.descriptor == descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(try socket.another().address == bound.address)
        #expect(sockets.untaken == [])
        #expect(try problem(sockets, "proxy").contains("another listener has this socket"))
        #expect(try problem(sockets, nil).contains("another listener has this socket"))
    }

    @Test("A socket is found by its address until it is taken")
    func address() throws {
        let bound = try BoundSocket(SocketAddress(.loopbackV4, port: 0), reusePort: false)
        let address = try #require(bound.address.tcpAddress)
        let sockets = Self.passed([fcntl(bound.descriptor, F_DUPFD, 0)], names: "proxy")
        #expect(sockets.untaken(at: address) == "proxy")
        #expect(sockets.untaken(at: SocketAddress(.loopbackV6, port: address.port)) == nil)
        #expect(PassedSockets.none.untaken(at: address) == nil)
        let taken = try sockets.take("proxy")
        #expect(withExtendedLifetime(taken) { sockets.untaken(at: address) } == nil)
    }

    @Test("A Unix socket keeps its file when it is closed")
    func unix() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        for name in [directory.file("x.sock"), "@attache-\(getpid())-\(UInt32.random(in: 0 ... .max))"] {
            let bound = try BoundSocket(UnixAddress(name), SocketFile.Access())
            let socket = try Self.passed([fcntl(bound.descriptor, F_DUPFD, 0)], names: nil).take(nil)
            #expect(socket.address == .unix(UnixAddress(name)))
            try socket.another().close()
            socket.close()
            #expect(name.hasPrefix("@") || access(name, F_OK) == 0)
        }
    }

    @Test("Sockets for another process, and none at all, are not taken")
    func others() throws {
        for variables in [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"], ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "-1"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "99999999"], ["LISTEN_PID": "x", "LISTEN_FDS": "1"],
        ] {
            let sockets = PassedSockets({ variables[$0] }, process: getpid())
            #expect(sockets.untaken == [])
            #expect(try problem(sockets, "proxy").contains("systemd passed no socket"), "\(variables)")
        }
    }

    @Test("A name must be that of one socket")
    func names() throws {
        let descriptors = try (0..<4).map { _ in try Self.tcp() }
        // The first one is closed by whoever takes it.
        defer { for descriptor in descriptors.dropFirst() { close(descriptor) } }
        let sockets = Self.passed(descriptors, names: "a:b:b")
        #expect(sockets.untaken == ["a", "b", "b", "unknown"])
        #expect(try problem(sockets, "b").contains("2 sockets that fit"))
        #expect(try problem(sockets, "c").contains("the sockets a, b, b, unknown"))
        #expect(try problem(sockets, nil).contains("4 sockets that fit"))
        _ = try sockets.take("a").address
        #expect(sockets.untaken == ["b", "b", "unknown"])
    }

    @Test("A descriptor that does not listen for streams is refused")
    func unusable() throws {
        for descriptor in [
            open("/dev/null", O_RDONLY), socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0),
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0),
        ] {
            defer { close(descriptor) }
            let sockets = Self.passed([descriptor], names: "x")
            let message = try problem(sockets, "x")
            #expect(
                message.contains("systemd:x") && message.contains("descriptor \(descriptor) ")
                    && message.contains("is not a listening stream socket"))
            #expect(sockets.untaken == ["x"] && fcntl(descriptor, F_GETFD) >= 0)
        }
    }

    @Test("A descriptor that was not open at the start is none of them, whatever it is opened for later")
    func notOpen() throws {
        let bound = try BoundSocket(SocketAddress(.loopbackV4, port: 0), reusePort: false)
        let real = fcntl(bound.descriptor, F_DUPFD, 0)
        let missing = fcntl(bound.descriptor, F_DUPFD, 900)
        close(missing)
        let sockets = Self.passed([real, missing], names: "a:b")
        // A listener of this process gets the number.
        #expect(fcntl(bound.descriptor, F_DUPFD, missing) == missing)
        defer { close(missing) }
        #expect(
            try problem(sockets, "b").contains(
                "LISTEN_FDS counts the descriptor \(missing), which was not open when attache started"))
        #expect(fcntl(missing, F_GETFD) >= 0)
        #expect(sockets.untaken == ["a"])
        #expect(try sockets.take("a").address == bound.address)
    }
}
