import Logging
import ProxyCore
import Support
import Testing
import TokenManager

@testable import EventTransport
@testable import ProxyServer

@Suite("When findings are evaluated")
struct UnitFindingsWatchTests {
    /// A watch on a loop whose clock the test moves.
    private final class Watched {
        let loop: EventLoop
        let log = CapturedLog()
        var found = FindingsWatch.Found()
        private(set) var evaluations = 0
        private(set) var statusQuestions = 0
        private(set) lazy var watch = FindingsWatch(
            loop: loop, logger: Logger(label: "test") { [log] _ in log },
            statuses: { [unowned self] in
                statusQuestions += 1
                return []
            },
            gather: { [unowned self] _, _ in
                evaluations += 1
                return found
            })

        init() throws {
            loop = try EventLoop()
            watch.changed()
            turn()
        }

        /// Moves the clock on and lets due timers fire.
        func pass(_ time: Duration) {
            loop.advance(by: time)
            turn()
        }

        func turn() {
            loop.later {}
            loop.runTurn()
        }
    }

    private static func finding(_ severity: Finding.Severity) -> Finding {
        Finding(.tokenServerRefused, severity, of: .credential("main"), "it refused")
    }

    @Test func `They are evaluated at the start, and then at least once an hour`() throws {
        let watched = try Watched()
        #expect(watched.evaluations == 1)
        watched.pass(.seconds(1800))
        #expect(watched.evaluations == 1)
        watched.pass(.seconds(1801))
        #expect(watched.evaluations == 2)
    }

    @Test func `However many changes are reported, they are evaluated at most once a second`() throws {
        let began = ContinuousClock.now
        let watched = try Watched()
        for _ in 0..<200 {
            watched.watch.credentialChanged("main", isWell: false)
            watched.turn()
        }
        let seconds = (ContinuousClock.now - began).components.seconds
        #expect(watched.evaluations <= 2 + Int(seconds))
        let before = watched.evaluations
        watched.watch.changed()
        watched.pass(.seconds(2))
        #expect(watched.evaluations == before + 1)
    }

    @Test func `The success of a credential without a finding changes nothing`() throws {
        let watched = try Watched()
        watched.watch.credentialChanged("main", isWell: true)
        watched.pass(.seconds(60))
        #expect(watched.evaluations == 1)
        watched.found.findings = [Self.finding(.error)]
        watched.watch.credentialChanged("main", isWell: false)
        watched.pass(.seconds(60))
        #expect(watched.evaluations == 2)
        watched.watch.credentialChanged("other", isWell: true)
        watched.pass(.seconds(60))
        #expect(watched.evaluations == 2)
        watched.found.findings = []
        watched.watch.credentialChanged("main", isWell: true)
        watched.pass(.seconds(60))
        #expect(watched.evaluations == 3)
        #expect(watched.log.text.contains("notice finding ended"))
    }

    @Test func `Who asks after a change gets the new findings, from the states that are at hand`() throws {
        let watched = try Watched()
        #expect(watched.statusQuestions == 1)
        watched.found.findings = [Self.finding(.error)]
        watched.watch.changed()
        #expect(watched.watch.current([]).map(\.finding) == watched.found.findings)
        #expect(watched.statusQuestions == 1)
    }

    @Test func `A finding that time alone changes is evaluated then`() throws {
        let watched = try Watched()
        watched.found.nextChange = watched.loop.continuousNow + .seconds(1000)
        watched.watch.changed()
        watched.pass(.seconds(2))
        #expect(watched.evaluations == 2)
        watched.found.findings = [Self.finding(.warning)]
        watched.pass(.seconds(500))
        #expect(watched.evaluations == 2)
        watched.pass(.seconds(500))
        #expect(watched.evaluations == 3)
        #expect(watched.log.text.contains("warning finding began"))
    }

    @Test func `A finding that becomes worse is logged again, and one that becomes milder is not`() throws {
        let watched = try Watched()
        for severity in [Finding.Severity.warning, .error, .warning] {
            watched.found.findings = [Self.finding(severity)]
            watched.watch.changed()
            watched.pass(.seconds(5))
        }
        let lines = watched.log.text.split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("warning finding began") == true)
        #expect(lines.last?.hasPrefix("error finding became worse") == true)
    }

    @Test func `Nothing is evaluated after the end`() throws {
        let watched = try Watched()
        watched.watch.stop()
        watched.watch.changed()
        watched.pass(.seconds(7200))
        #expect(watched.evaluations == 1)
    }
}
