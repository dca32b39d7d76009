import Glibc

// SAFETY: the event's context is the source whose stored property the event is.
/// Calls a closure on the loop for every arrival of one signal, instead of the signal's default action.
///
/// Confined to the loop's thread; its release restores the former action. libevent serves signals on only one loop of
/// a process at a time.
@safe
package final class SignalSource {
    private let received: () -> Void
    private var event: Event?

    package init(_ signal: Int32, loop: EventLoop, _ received: @escaping () -> Void) throws(TransportError) {
        self.received = received
        // SAFETY: the event is a stored property of this source.
        event = unsafe Event(
            on: loop, descriptor: signal, Event.signal | Event.persist, signalArrived,
            Unmanaged.passUnretained(self).toOpaque())
        guard event?.add() == true else {
            throw TransportError(system: Glibc.errno, "cannot catch signal \(signal)")
        }
    }

    fileprivate func arrived() { received() }
}

// SAFETY: `context` is the source whose stored property the event is, so it lives.
private func signalArrived(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue().arrived()
}
