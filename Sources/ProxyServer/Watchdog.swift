import EventTransport

/// Notifies the service manager regularly that the loops of all workers run (`WatchdogSec=` of a systemd unit).
///
/// If one loop hangs, the notifications end, and the service manager starts the process again. Confined to the first
/// worker's loop.
final class Watchdog {
    private let period: Duration
    private let ask: (_ done: @escaping () -> Void) -> Void
    private let notify: () -> Void
    private let loop: EventLoop
    private lazy var timer = Timer(loop: loop) { [unowned self] in timerFired() }

    /// - Parameters:
    ///   - period: The time from one notification to the next.
    ///   - loop: The first worker's loop.
    ///   - ask: Calls its argument on this loop once every worker's loop has run.
    ///   - notify: Sends one notification.
    init(
        every period: Duration, loop: EventLoop, ask: @escaping (_ done: @escaping () -> Void) -> Void,
        notify: @escaping () -> Void
    ) {
        self.period = period
        self.loop = loop
        self.ask = ask
        self.notify = notify
    }

    func start() { timer.schedule(after: period) }

    func stop() { timer.cancel() }

    private func timerFired() {
        ask { [weak self] in
            guard let self else { return }
            notify()
            timer.schedule(after: period)
        }
    }
}
