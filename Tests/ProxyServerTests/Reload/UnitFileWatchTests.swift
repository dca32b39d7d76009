import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

@Suite struct UnitFileWatchTests {
    private let versions = (0..<3).map {
        FileVersion.found(seconds: $0, nanoseconds: 0, size: 1, device: 1, inode: 1)
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

    @Test func `A file that is written all the time is not loaded, nor one that is missing`() {
        var watch = ConfigurationFileWatch(loaded: versions[0])
        let looks = [versions[1], versions[2], .missing, .missing, versions[2], versions[2]]
        #expect(looks.map { watch.looked($0) } == Array(repeating: .lookAgain, count: 5) + [.load])
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
        #expect((0..<30).allSatisfy { _ in watch.looked(.missing) == .lookAgain })
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
    }
}
