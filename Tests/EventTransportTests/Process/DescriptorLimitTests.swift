import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("The limit of descriptors")
struct DescriptorLimitTests {
    @Test("is raised to the hard limit, and open descriptors are counted")
    func raise() async {
        // In a process of its own: the limit is everybody's.
        await #expect(processExitsWith: .success) { try ExitTestBody.run(DescriptorLimitTests.raiseAndCount) }
    }

    private static func raiseAndCount() throws {
        try DescriptorTable.separate()
        let former = Descriptors.limit(to: 100)
        #expect(DescriptorLimit.current == 100)
        DescriptorLimit.raise()
        #expect(DescriptorLimit.current >= former)
        let before = try #require(DescriptorLimit.openCount)
        let more = (0..<10).map { _ in RawPeer(Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)) }
        #expect(DescriptorLimit.openCount == before + 10)
        withExtendedLifetime(more) {}
    }
}
