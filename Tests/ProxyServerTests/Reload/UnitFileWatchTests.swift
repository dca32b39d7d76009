import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitFileWatchTests {
    private let versions = (0..<3).map {
        let time = FileVersion.Time(seconds: $0)
        return FileVersion.found(modified: time, changed: time, size: 1, device: 1, inode: 1)
    }

    @Test func `A change counts once it has lasted from one look to the next, and is loaded once`() {
        var watch = ConfigurationFileWatch(loaded: versions[0])
        let looks = [0, 0, 1, 1, 1, 2, 0, 0].map { number in
            let action = watch.looked(versions[number])
            if action == .load { watch.loaded(versions[number]) }
            return action
        }
        #expect(
            looks == [
                .awaitChange, .awaitChange, .lookAgain, .load, .awaitChange, .lookAgain, .lookAgain, .load,
            ])
    }

    @Test func `A file that is written all the time is not loaded, and one that is missing after ten looks`() {
        var watch = ConfigurationFileWatch(loaded: versions[0])
        let looks = [versions[1], versions[2], .missing, .missing, versions[2], versions[2]]
        #expect(looks.map { watch.looked($0) } == Array(repeating: .lookAgain, count: 5) + [.load])
        watch = ConfigurationFileWatch(loaded: versions[0])
        #expect((1...30).allSatisfy { watch.looked(versions[$0.isMultiple(of: 2) ? 1 : 2]) == .lookAgain })
        #expect((1...9).allSatisfy { _ in watch.looked(.missing) == .lookAgain })
        // Again if the load could not begin then.
        #expect((10...12).allSatisfy { _ in watch.looked(.missing) == .load })
    }

    @Test func `A missing file that was refused is loaded once it is there`() {
        var watch = ConfigurationFileWatch(loaded: .missing)
        watch.refused()
        #expect([.missing, versions[0], versions[0]].map { watch.looked($0) } == [.lookAgain, .lookAgain, .load])
    }

    @Test func `A change between the load at the start and the first look counts`() {
        var watch = ConfigurationFileWatch(loaded: versions[0])
        #expect([1, 1].map { watch.looked(versions[$0]) } == [.lookAgain, .load])
    }

    @Test func `A version that was refused is loaded again after ten looks, as long as it is there and refused`() {
        var watch = ConfigurationFileWatch(loaded: versions[0])
        watch.loaded(versions[1])
        #expect(watch.looked(versions[1]) == .awaitChange)
        watch.refused()
        let looks = (1...30).map { _ in watch.looked(versions[1]) }
        #expect((1...30).filter { looks[$0 - 1] == .load } == [10, 20, 30])
        #expect(!looks.contains(.awaitChange))
        #expect((0..<8).allSatisfy { _ in watch.looked(.missing) == .lookAgain })
        #expect([2, 2].map { watch.looked(versions[$0]) } == [.lookAgain, .load])
        watch.loaded(versions[2])
        #expect(watch.looked(versions[2]) == .awaitChange)
    }

    @Test func `Another content, another file and another target of a link are other versions`() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let (first, second) = (try directory.write("a", to: "first"), try directory.write("bc", to: "second"))
        let link = directory.file("link")
        try #require(symlink(first, link) == 0)
        let version = FileVersion(of: link)
        #expect(version == FileVersion(of: first))
        try #require(unlink(link) == 0 && symlink(second, link) == 0)
        #expect(FileVersion(of: link) != version)
        #expect(FileVersion(of: directory.file("none")) == .missing)
        _ = try directory.write("longer", to: "first")
        #expect(FileVersion(of: first) != version)
        // Another content of the same length with the same time, as from an archive.
        func write(_ text: String) throws -> FileVersion {
            _ = try directory.write(text, to: "first")
            let times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
            try #require(utimes(first, times) == 0)
            return FileVersion(of: first)
        }
        let one = try write("one")
        // The clock of a file system may have steps.
        try Patience.poll("another version") { try write("two") != one ? () : nil }
    }
}
