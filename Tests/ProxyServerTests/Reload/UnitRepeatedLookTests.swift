import Glibc
import Support
import Testing

@testable import EventTransport
@testable import ProxyServer

@Suite struct UnitRepeatedLookTests {
    /// A loop whose time passes as the test says.
    private struct Passing {
        let loop: EventLoop

        init() throws { loop = try EventLoop() }

        func pass(seconds: Int = 1) {
            for _ in 0..<seconds {
                loop.advance(by: .seconds(1))
                loop.nextTurn {}
                loop.runTurn()
            }
        }
    }

    @Test func `It looks every second while it is on, and wakes nobody while it is off`() throws {
        let time = try Passing()
        var count = 0
        let looks = RepeatedLook(time.loop) { ended in
            count += 1
            ended(nil)
        }
        time.pass(seconds: 5)
        #expect(count == 0)
        looks.isOn = true
        looks.isOn = true
        time.pass(seconds: 5)
        #expect(count == 5)
        looks.isOn = false
        time.pass(seconds: 5)
        #expect(count == 5)
    }

    @Test func `No look begins before the last one has ended`() throws {
        let time = try Passing()
        var ends: [(FileNotices?) -> Void] = []
        let looks = RepeatedLook(time.loop) { ends.append($0) }
        looks.isOn = true
        time.pass(seconds: 3)
        looks.isOn = false
        looks.isOn = true
        time.pass(seconds: 3)
        #expect(ends.count == 1)
        ends[0](nil)
        time.pass()
        #expect(ends.count == 2)
        looks.lookSoon()
        looks.isOn = false
        ends[1](nil)
        time.pass(seconds: 3)
        #expect(!looks.isOn && ends.count == 2)
        looks.isOn = true
        time.pass()
        #expect(ends.count == 3)
    }

    @Test func `With notices it looks once after a change, and otherwise only if it is asked to`() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write("one", to: "file")
        let time = try Passing()
        var count = 0
        let looks = RepeatedLook(time.loop) { ended in
            let notices = FileNotices(of: file) { $0() }
            count += 1
            ended(notices)
        }
        looks.isOn = true
        time.pass(seconds: 5)
        #expect(count == 1)
        _ = try directory.write("two", to: "file")
        time.pass(seconds: 5)
        #expect(count == 2)
        _ = try directory.write("beside", to: "other")
        time.pass(seconds: 5)
        #expect(count == 2)
        looks.lookSoon()
        time.pass(seconds: 5)
        #expect(count == 3)
        looks.isOn = false
        _ = try directory.write("three", to: "file")
        looks.lookSoon()
        time.pass(seconds: 5)
        #expect(count == 3)
        looks.isOn = true
        time.pass(seconds: 5)
        #expect(count == 4)
    }
}
