package final class SignalSource {
    package init(_ signal: Int32, loop: EventLoop, _ received: @escaping () -> Void) throws(TransportError) {
        fatalError("stub")
    }
}
