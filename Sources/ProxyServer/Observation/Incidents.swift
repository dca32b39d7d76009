import Locking
import ProxyCore

/// When each incident of all workers happened last.
///
/// Any thread. Nothing is noted on the path of a request that succeeds.
final class Incidents: Sendable {
    private struct State {
        var last: [Incident: ContinuousClock.Instant] = [:]
        var began: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Sets what is called when an incident happens that had not happened for a minute; nil ends that.
    func whenOneBegins(_ began: (@Sendable () -> Void)?) { state.withLock { $0.began = began } }

    /// An incident happens.
    func note(_ incident: Incident, at now: ContinuousClock.Instant) {
        let began = state.withLock { state -> (@Sendable () -> Void)? in
            let last = state.last.updateValue(now, forKey: incident)
            return last.map { now - $0 < Incident.duration } ?? false ? nil : state.began
        }
        began?()
    }

    /// When each one happened last.
    var last: [Incident: ContinuousClock.Instant] { state.withLock { $0.last } }
}
