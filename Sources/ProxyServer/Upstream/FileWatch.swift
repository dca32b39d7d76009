import EventTransport

/// Looks at files every second, so that the first request after a change uses the new ones.
///
/// Confined to its loop. It ends when it is released.
final class FileWatch {
    private static let interval: Duration = .seconds(1)

    private var timer: Timer?

    init(_ loop: EventLoop, _ look: @escaping () -> Void) {
        let timer = Timer(loop: loop) { [unowned self] in
            look()
            self.timer?.schedule(after: Self.interval)
        }
        timer.schedule(after: Self.interval)
        self.timer = timer
    }
}
