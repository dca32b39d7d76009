import EventTransport
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient

/// The warnings about the content of files, which are looked for again while the process runs.
///
/// Owned by the control; confined to the first worker's loop, which does not wait for the files.
final class FileWarnings {
    /// The time between two looks while a file deserves a warning; other files are looked at when findings are evaluated.
    static let pause: Duration = .seconds(10)

    private let loop: EventLoop
    private let files: any FileReader
    private let changed: () -> Void
    private var checks: [FileCheck] = []
    private var lookedAt: ContinuousClock.Instant
    private var isLooking = false
    /// Increases with every configuration, so that the end of an older look is recognised.
    private var generation = 0

    /// - Parameters:
    ///   - loop: The first worker's loop.
    ///   - files: Reads the files, on threads of its own.
    ///   - changed: Called when the warnings have changed.
    init(loop: EventLoop, files: any FileReader = SystemFileReader(), changed: @escaping () -> Void) {
        self.loop = loop
        self.files = files
        self.changed = changed
        lookedAt = loop.continuousNow
    }

    /// The warnings as of the last look.
    var current: [Problem] { checks.compactMap(\.warning) }

    /// When the files are looked at next; nil if no file deserves a warning.
    var nextLook: ContinuousClock.Instant? { current.isEmpty ? nil : lookedAt + Self.pause }

    /// Takes the checks of a load that has just made them.
    func use(_ checks: [FileCheck]) {
        self.checks = checks
        lookedAt = loop.continuousNow
        isLooking = false
        generation += 1
    }

    /// Begins to look at the files if that is due.
    func look(at now: ContinuousClock.Instant) {
        guard !checks.isEmpty, !isLooking, now - lookedAt >= Self.pause else { return }
        (lookedAt, isLooking) = (now, true)
        let (checks, files, generation) = (checks, files, generation)
        let done: ([FileCheck]) -> Void = { [weak self] in self?.looked($0, generation) }
        FileThreads.shared.submit(
            {
                checks.map { check in
                    var check = check
                    check.lookAgain(files)
                    return check
                }
            }, for: loop, done)
    }

    private func looked(_ checks: [FileCheck], _ generation: Int) {
        guard generation == self.generation else { return }
        isLooking = false
        let old = current
        self.checks = checks
        if current != old { changed() }
    }
}
