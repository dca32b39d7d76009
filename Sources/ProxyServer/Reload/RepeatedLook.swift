import EventTransport

/// Looks at something every second as long as it is on, one look at a time.
///
/// Confined to its loop. While it is off, no timer wakes the loop.
final class RepeatedLook {
    /// Begins a look; its closure must be called on the loop when the look has ended.
    typealias Look = (_ ended: @escaping () -> Void) -> Void

    private let loop: EventLoop
    private let look: Look
    private var isLooking = false
    /// Nil while it is off.
    private var watch: FileWatch?

    init(_ loop: EventLoop, _ look: @escaping Look) {
        self.loop = loop
        self.look = look
    }

    var isOn: Bool {
        get { watch != nil }
        set {
            guard newValue != isOn else { return }
            watch = newValue ? FileWatch(loop) { [unowned self] in lookOnce() } : nil
        }
    }

    private func lookOnce() {
        // A file system that hangs must not gather looks.
        guard !isLooking else { return }
        isLooking = true
        look { [weak self] in self?.isLooking = false }
    }
}
