import Support
import Testing

@testable import EventTransport

extension Resolver {
    /// A resolver that asks a fake name server.
    convenience init(loop: EventLoop, _ server: FakeNameServer) {
        self.init(loop: loop, configuration: server.configurationFile, hostsFile: server.hostsFile)
    }

    /// Runs the loop until the name's answer is there.
    func ask(_ name: String, _ loop: EventLoop) -> Answer {
        var answer: Answer?
        resolve(name) { answer = $0 }
        loop.runUntil { answer != nil }
        return answer ?? .failure(TransportError(.timedOut, "the test gave up"))
    }
}
