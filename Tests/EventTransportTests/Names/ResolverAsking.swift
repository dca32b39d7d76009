import Support
import Testing

@testable import EventTransport

extension Resolver {
    /// A resolver that asks a fake name server.
    convenience init(loop: EventLoop, _ server: FakeNameServer, _ counts: NameCounts = NameCounts()) {
        self.init(loop: loop, configuration: server.configurationFile, hostsFile: server.hostsFile, counts: counts)
    }

    /// Runs the loop until the name's whole answer is there.
    func ask(_ name: String, _ loop: EventLoop) -> Result<[IPAddress], TransportError> {
        var whole: Result<[IPAddress], TransportError>?
        resolve(name) { answer in
            if case .success(let found) = answer, !found.isWhole { return }
            whole = answer.map(\.addresses)
        }
        loop.runUntil { whole != nil }
        return whole ?? .failure(TransportError(.timedOut, "the test gave up"))
    }

    /// The addresses of a name as texts, which must be there at once.
    func known(_ name: String, isChosenByApp: Bool = false) throws -> [String] {
        var answer: Answer?
        resolve(name, isChosenByApp: isChosenByApp) { answer = $0 }
        return try #require(answer).get().addresses.map(\.description)
    }
}
