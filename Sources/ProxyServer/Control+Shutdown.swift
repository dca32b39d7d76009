import EventTransport
import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// The order in which the process ends.
extension Control {
    /// - Parameters:
    ///   - trigger: Who asks for the end.
    ///   - name: The signal or request, for the log.
    func drain(for trigger: ShutdownStateMachine.Trigger, _ name: String) {
        defer { findings?.changed() }
        ServiceNotifier.ofThisProcess?.tell("STOPPING=1", ServiceNotifier.draining)
        reload?.drainBegan()
        let delay = served.configuration.shutdown.drainDelay
        switch shutdown.drainRequested(by: trigger, hasDelay: delay > .zero, workers: workerCount) {
        case .delay:
            note("draining after a delay", name, ["drainDelay": "\(delay.settingText)"])
            delayDrain()
        case .drain:
            note("draining", name)
            drainAll()
        case .abort:
            note("running requests are cut", name)
            abort("another signal arrived during shutdown.gracePeriod")
        case .none: note("already draining", name)
        }
    }

    private func note(_ message: Logger.Message, _ trigger: String, _ more: Logger.Metadata = [:]) {
        context.logger.notice(message, metadata: more.merging(["trigger": "\(trigger)"]) { $1 })
    }

    /// Keeps the listeners open for `drainDelay`, or until the clients have left.
    private func delayDrain() {
        timer.schedule(after: served.configuration.shutdown.drainDelay)
        announceEnd()
        let time = served.configuration.shutdown.waitForIdle
        guard time > .zero else { return }
        silence = ClientSilence(time, loop: loop) { [unowned self] seen in
            onWorkers { worker, _ in
                worker.counted.acceptedConnections
            } done: { [unowned self] counts in
                seen(.init(openCount: context.connectionCount.current, acceptedCount: counts.reduce(0, +)))
            }
        } passed: { [unowned self] in
            clientsLeft()
        }
    }

    private func clientsLeft() {
        switch shutdown.clientsLeft(workers: workerCount) {
        case .drain: drainAll()
        case .none: break
        }
    }

    /// Asks clients to open their next connection elsewhere, unless the end waits until they close theirs.
    func announceEnd() {
        guard served.configuration.shutdown.waitForIdle == .zero else { return }
        onWorkers { worker, _ in
            worker.announceEnd()
        } done: { _ in
        }
    }

    func timerFired() {
        switch shutdown.timeReached(workers: workerCount) {
        case .drain: drainAll()
        case .abort:
            abort(
                "shutdown.gracePeriod, \(served.configuration.shutdown.gracePeriod.settingText), is over; raise it if requests take longer"
            )
        case .stop(let cut): stop(cut: cut)
        case .none: break
        }
    }

    private var workerCount: Int { 1 + others.count }

    private func drainAll() {
        silence = nil
        timer.schedule(after: served.configuration.shutdown.gracePeriod)
        findings?.changed()
        for other in others { drainOther(other) }
        worker.drain { [unowned self] in workerDrained() }
    }

    func drainOther(_ other: Other) {
        let (bound, loop) = (LoopBound(self, loop: loop), loop)
        other.loop.execute {
            other.worker.value.drain { loop.execute { bound.value.workerDrained() } }
        }
    }

    private func workerDrained() {
        switch shutdown.workerDrained() {
        case .stop(let cut): stop(cut: cut)
        case .none: break
        }
    }

    /// Aborts what has not finished, and after another second stops without what is left.
    private func abort(_ reason: String) {
        timer.schedule(after: .seconds(1))
        let error = ProxyError(.shutdown, "attache stopped while the request was being served: \(reason)")
        let (bound, loop) = (LoopBound(self, loop: loop), loop)
        for other in others {
            other.loop.execute {
                let count = other.worker.value.servedRequestCount
                // Sent first: in the next call, the worker reports that it has drained.
                loop.execute { bound.value.shutdown.requestsCut(count) }
                other.worker.value.abort(error)
            }
        }
        shutdown.requestsCut(worker.servedRequestCount)
        worker.abort(error)
    }

    /// - Parameter cut: The number of cut requests; nil if all had time to finish.
    private func stop(cut: Int?) {
        if let cut {
            context.logger.log(
                level: cut > 0 ? .warning : .notice, "requests cut", metadata: ["count": .stringConvertible(cut)])
        }
        timer.cancel()
        reload?.stop()
        watchdog?.stop()
        passwords.stop()
        endFindings()
        admin?.close()
        worker.retire()
        for other in others { other.loop.execute { other.worker.value.retire() } }
        let (tokens, loop, loops) = (context.tokens, loop, threads.map(\.loop))
        Task(executorPreference: loop) {
            await tokens.stop()
            for other in loops { other.stop() }
            loop.stop()
        }
    }
}
