import Glibc
import Testing

@testable import EventTransport

/// What is released after its loop; a memory checker sees whether an event outlives its base.
@Suite("Objects that outlive their loop")
struct EventLifetimeTests {
    @Test("An armed timer may be the last object to hold its loop")
    func timer() throws {
        var loop: EventLoop? = try EventLoop()
        weak let weakLoop = loop
        var timer = loop.map { loop in
            let timer = Timer(loop: loop) {}
            timer.schedule(after: .seconds(3600))
            return timer
        }
        loop = nil
        #expect(weakLoop != nil && timer != nil)
        timer = nil
        #expect(weakLoop == nil)
    }

    @Test("A watch on a descriptor may be released after its loop")
    func watch() throws {
        var loop: EventLoop? = try EventLoop()
        weak let weakLoop = loop
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let descriptor = ends[0]
        defer { for end in ends { close(end) } }
        var watch = loop.map { loop in
            let watch = ReadinessWatch(loop: loop, descriptor: descriptor, Event.read) {}
            watch.start()
            return watch
        }
        loop = nil
        #expect(weakLoop == nil && watch != nil)
        watch = nil
    }

    @Test("A signal source may be released after its loop")
    func signal() throws {
        var loop: EventLoop? = try EventLoop()
        var source = try loop.map { loop in try SignalSource(SIGWINCH, loop: loop) {} }
        loop = nil
        #expect(source != nil)
        source = nil
    }
}
