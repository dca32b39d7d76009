import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("The questions of one look-up")
struct NameServerChannelTests {
    @Test func `A socket that could not be opened no longer counts when a later one is opened`() async {
        // In a process of its own: the limit of descriptors is everybody's.
        await #expect(processExitsWith: .success) { try ExitTestBody.run(Self.reopen) }
    }

    private static func reopen() throws {
        try DescriptorTable.separate()
        let loop = try EventLoop()
        let server = try FakeNameServer(["a.test": .init(v4: [[127, 0, 0, 3]])])
        var answers: [NameServerInbox.Answer] = []
        var take: () -> Void = {}
        let channel = try #require(
            NameServerChannel(
                servers: [SocketAddress(.loopbackV4, port: server.port)],
                configuration: ResolverConfiguration("", hostName: "host"), loop: loop, answered: { take() }))
        take = { answers += channel.takeAnswers() }
        _ = Descriptors.limit(to: 200)
        var taken = Descriptors.takeAll()
        channel.ask("a.test", [.v4], isExtended: true)
        loop.runUntil { answers.count == 1 }
        #expect(channel.socketFailure == EMFILE)
        taken = []
        channel.ask("a.test", [.v4], isExtended: true)
        loop.runUntil { answers.count == 2 }
        #expect(channel.socketFailure == 0)
        take = {}
        withExtendedLifetime((server, taken)) {}
    }
}
