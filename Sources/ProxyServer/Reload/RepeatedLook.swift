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

    private enum State {
        case off
        /// The timer begins the next look.
        case pausing
        case looking
        /// It was turned off during the look.
        case lookingWhileOff
        case awaitingChange(FileNoticeWatch)
    }

    private static let interval: Duration = .seconds(1)

    private let loop: EventLoop
    private let look: Look
    private var state = State.off
    private lazy var timer = Timer(loop: loop) { [unowned self] in lookOnce() }

    init(_ loop: EventLoop, _ look: @escaping Look) {
        self.loop = loop
        self.look = look
    }

    var isOn: Bool {
        get {
            switch state {
            case .off, .lookingWhileOff: false
            case .pausing, .looking, .awaitingChange: true
            }
        }
        set {
            switch (newValue, state) {
            case (true, .off): pause()
            // A file system that hangs must not gather looks.
            case (true, .lookingWhileOff): state = .looking
            case (false, .looking): state = .lookingWhileOff
            case (false, .pausing), (false, .awaitingChange):
                timer.cancel()
                state = .off
            case (true, .pausing), (true, .looking), (true, .awaitingChange), (false, .off), (false, .lookingWhileOff):
                break
            }
        }
    }

    /// Looks in a second instead of after a change.
    ///
    /// No effect during a look: its result decides when the next one begins.
    func lookSoon() {
        if case .awaitingChange = state { pause() }
    }

    private func pause() {
        state = .pausing
        timer.schedule(after: Self.interval)
    }

    private func lookOnce() {
        state = .looking
        look { [weak self] in self?.ended($0) }
    }

    private func ended(_ notices: FileNotices?) {
        switch state {
        case .lookingWhileOff: state = .off
        case .looking:
            guard let notices else { return pause() }
            state = .awaitingChange(
                FileNoticeWatch(loop, notices, delay: Self.interval) { [unowned self] in lookOnce() })
        case .off, .pausing, .awaitingChange: preconditionFailure("a look ended twice")
        }
    }
}
