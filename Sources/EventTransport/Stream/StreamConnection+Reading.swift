import CLibevent

extension StreamConnection {
    /// The read size of a connection whose peer is not known to send in bulk, or whose bytes nobody takes that fast:
    /// what one read brings may have to be kept until they do.
    static let firstReadSize = 64 * 1024

    /// Leaves the peer's bytes where they are, which slows the peer down; may be called again and again.
    package func pauseReading() {
        switch machine.pauseRequested() {
        case .stopReading:
            readSize = Self.firstReadSize
            readEvent?.remove()
        case .none: break
        }
    }

    /// Goes on receiving; bytes that TLS already holds come in the next turn of the loop.
    package func resumeReading() {
        switch machine.resumeRequested() {
        case .read: beginReading()
        case .none: break
        }
    }

    /// Acknowledges what has come at once, for a peer that sends no more until then.
    ///
    /// Costs a system call. Does nothing on a Unix socket.
    package func acknowledgeNow() {
        guard !isClosed else { return }
        _ = attache_socket_acknowledge(wire.descriptor)
    }

    /// Arms the read event, and looks into TLS, whose buffered bytes raise no event.
    func beginReading() {
        readEvent?.add()
        if let tls = wire.tls, tls.mayHoldMore { loop.readNextTurn(self) }
    }

    /// Tells what has come by now, as far as one read brings it, without the loop having seen it; from inside a
    /// `streamReceived` of any connection it traps.
    package func readNow() { readable() }

    /// Called by the loop when there may be something to receive.
    func readable() {
        guard machine.isReading else { return }
        switch wire.receive(upTo: readSize, on: loop) {
        case .bytes(let count): received(count)
        case .wouldBlock: break
        case .mustSendFirst: watchWriting()
        case .ended: ended()
        case .failed(let number): fail(failure(number))
        }
    }

    private func received(_ count: Int) {
        let mayHoldMore = count == readSize
        machine.bytesReceived(mayHoldMore: mayHoldMore)
        if mayHoldMore, readSize < EventLoop.readCapacity { readSize *= 2 }
        loop.lendReadBuffer(count) { listener?.streamReceived($0) }
        guard let tls = wire.tls, tls.mayHoldMore else { return }
        // What comes next is only the end that was seen behind the bytes, or a full buffer's rest; after the
        // latter others get their turn first. Both look again whether the delegate still wants to hear.
        if tls.isOver { readable() } else { loop.readNextTurn(self) }
    }

    private func ended() {
        switch machine.peerEnded(brokenPipe: Self.brokenPipe) {
        case .tell: tellEnd()
        case .tellAndFail(let number):
            tellEnd()
            failLater(number)
        case .fail(let number): fail(failure(number))
        }
    }

    private func tellEnd() {
        readEvent?.remove()
        listener?.streamEnded()
    }
}
