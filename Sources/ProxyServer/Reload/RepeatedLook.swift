import EventTransport

/// While on, looks at a file every second, or one second after it may have changed; one look at a time.
///
/// Confined to its loop. While it is off, it does not wake the loop. While it waits for a change, only changes in the
/// folders of the path do.
final class RepeatedLook {
    /// Begins a look; its closure must be called on the loop when the look has ended.
    ///
    /// With notices from before the look, the next look comes after a change; without, a second later.
    typealias Look = (_ ended: @escaping (FileNotices?) -> Void) -> Void

    private static let interval: Duration = .seconds(1)

    private let loop: EventLoop
    private let look: Look
    private var isLooking = false
    private lazy var timer = Timer(loop: loop) { [unowned self] in lookOnce() }
    /// Nil unless it waits for a change.
    private var change: FileNoticeWatch?

    init(_ loop: EventLoop, _ look: @escaping Look) {
        self.loop = loop
        self.look = look
    }

    var isOn = false {
        didSet {
            guard isOn != oldValue else { return }
            change = nil
            if isOn { timer.schedule(after: Self.interval) } else { timer.cancel() }
        }
    }

    /// Looks in a second even without a change.
    func lookSoon() {
        guard isOn, change != nil else { return }
        change = nil
        timer.schedule(after: Self.interval)
    }

    private func lookOnce() {
        timer.schedule(after: Self.interval)
        // A file system that hangs must not gather looks.
        guard !isLooking else { return }
        isLooking = true
        look { [weak self] in self?.ended($0) }
    }

    private func ended(_ notices: FileNotices?) {
        isLooking = false
        guard isOn, let notices else { return }
        timer.cancel()
        change = FileNoticeWatch(loop, notices, delay: Self.interval) { [unowned self] in
            change = nil
            lookOnce()
        }
    }
}
