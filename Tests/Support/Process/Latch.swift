/// Counts down from a number; waiting ends at zero.
package final class Latch: Sendable {
    private let remaining: Monitor<Int>
    private let name: String

    package init(_ count: Int, _ name: String = "a latch counts down") {
        remaining = Monitor(count)
        self.name = name
    }

    package func countDown() {
        remaining.access { $0 -= 1 }
    }

    package func wait() throws {
        try remaining.wait(name) { $0 <= 0 ? () : nil }
    }
}
