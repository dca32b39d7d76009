import EventTransport
import Glibc
import HTTPWire
import Support
import Testing

@testable import ProxyServer

@Suite("A response on its way to the app")
struct UnitResponseForwardingTests {
    @Test("What a backend has sent behind its 101 never reaches the next exchange")
    func behindSwitch() throws {
        var descriptors: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
        defer { close(descriptors[1]) }
        let stream = StreamConnection(Socket(owning: descriptors[0]), loop: try EventLoop())
        var summary = RequestSummary()
        summary.asksForWebSocket = true
        let answer = Array("HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nfirst".utf8)
        var response = ResponseForwarding()
        let progress = try response.forward(
            answer.span, answering: summary, draining: false, limits: HeadLimits(), fields: FieldLines(), to: stream)
        #expect(progress == .switched)
        response.reset()
        let rest = response.takeBehindSwitch()
        #expect(rest.isEmpty)
        stream.close()
    }
}
