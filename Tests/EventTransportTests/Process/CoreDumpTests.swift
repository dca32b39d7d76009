import Glibc
import Testing

@testable import EventTransport

@Suite struct CoreDumpTests {
    @Test("A process that forbids core dumps is no longer dumpable")
    func forbid() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // PR_GET_DUMPABLE; a call that Swift cannot import, as it takes variable arguments.
            typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
            guard let symbol = dlsym(nil, "prctl") else { exit(1) }
            let control = unsafeBitCast(symbol, to: Control.self)
            guard control(3, 0, 0, 0, 0) == 1 else { exit(2) }
            CoreDumps.forbid()
            exit(control(3, 0, 0, 0, 0) == 0 ? 7 : 3)
        }
    }
}
