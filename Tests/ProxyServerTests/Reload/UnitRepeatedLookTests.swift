import Testing

@testable import EventTransport
@testable import ProxyServer

@Suite struct UnitRepeatedLookTests {
    @Test func `It looks every second while it is on, and wakes nobody while it is off`() throws {
        let loop = try EventLoop()
        var count = 0
        let looks = RepeatedLook(loop) { ended in
            count += 1
            ended()
        }
        func pass() {
            loop.advance(by: .seconds(1))
            loop.nextTurn {}
            loop.runTurn()
        }
        for _ in 0..<5 { pass() }
        #expect(count == 0)
        looks.isOn = true
        looks.isOn = true
        for _ in 0..<5 { pass() }
        #expect(count == 5)
        looks.isOn = false
        for _ in 0..<5 { pass() }
        #expect(count == 5)
    }

    @Test func `No look begins before the last one has ended`() throws {
        let loop = try EventLoop()
        var ends: [() -> Void] = []
        let looks = RepeatedLook(loop) { ends.append($0) }
        func pass() {
            loop.advance(by: .seconds(1))
            loop.nextTurn {}
            loop.runTurn()
        }
        looks.isOn = true
        for _ in 0..<3 { pass() }
        looks.isOn = false
        looks.isOn = true
        for _ in 0..<3 { pass() }
        #expect(ends.count == 1)
        ends[0]()
        pass()
        #expect(ends.count == 2)
    }
}
