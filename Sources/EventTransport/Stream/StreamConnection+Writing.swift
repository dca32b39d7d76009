import Glibc

extension StreamConnection {
    /// The errno of a write to a connection whose peer closed in order before it reset the connection.
    static let brokenPipe = EPIPE

    /// How many bytes wait for room in the socket.
    package var queuedByteCount: Int { machine.owesDrain ? queue.count : 0 }

    /// How many written bytes the peer's system has not acknowledged.
    ///
    /// If the second of two counts without a write in between is lower, the peer has taken some bytes meanwhile.
    /// Costs a system call. The socket's free room would not do: a slow reader frees it in steps that are too large.
    package var unacknowledgedByteCount: Int {
        loop.sends.count(of: self) + queue.count + wire.unacknowledgedByteCount
    }

    /// Sends the bytes at the end of the loop's turn, together with what else the turn writes.
    ///
    /// Sends a large piece at once, after the earlier bytes of the turn. Queues a copy of what the socket does not
    /// take. Never calls the delegate. If bytes are sent later, `streamBlocked` reports that the socket was full.
    ///
    /// Writes after a failure are dropped. The read side reports the failure (`streamFailed` or `streamEnded`) after
    /// the bytes that the peer still sent, so that an early response is not lost. If reading is paused, it reports
    /// when reading resumes.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> WriteResult {
        // First, because this may fill this connection's own socket.
        loop.sends.makeRoom()
        guard !bytes.isEmpty else { return .written }
        switch machine.writing {
        case .send: return loop.isInTurn && loop.sends.add(bytes, of: self) ? .written : sendNow(bytes)
        case .queue:
            queue.append(bytes, on: loop)
            return .blocked
        case .drop: return .written
        }
    }

    /// Writes both pieces, one after the other, with one system call if possible.
    @discardableResult
    package func write(_ first: Span<UInt8>, _ second: Span<UInt8>) -> WriteResult {
        loop.sends.makeRoom()
        let isImmediate = !loop.isInTurn || second.count > SendBatch.largestSend
        if isImmediate, !second.isEmpty, machine.writing == .send, loop.sends.add(first, of: self) {
            return sendNow(second)
        }
        let result = write(first)
        return second.isEmpty ? result : write(second)
    }

    /// Sends the end behind all that was written, and goes on reading; nothing may be written afterwards.
    package func endWriting() {
        send(from: loop.sends)
        switch machine.endRequested() {
        case .sendEnd: sendEnd()
        case .none: break
        }
    }

    private func sendEnd() {
        if wire.endSending() { machine.endSent() } else { watchWriting() }
    }

    /// Sends what this turn has written, followed by `bytes`.
    private func sendNow(_ bytes: Span<UInt8>) -> WriteResult {
        // SAFETY: both ranges are lent for the call.
        unsafe loop.sends.take(of: self) { before in
            let outcome = unsafe bytes.withUnsafeBytes { bytes in
                unsafe before.isEmpty
                    ? wire.send(bytes, before, on: loop) : wire.send(before, bytes, on: loop)
            }
            switch outcome {
            case .sent(before.count + bytes.count): return .written
            case .sent(let count):
                unsafe queue.append(
                    before.bindMemory(to: UInt8.self).span, skipping: min(count, before.count), on: loop)
                queue.append(bytes, skipping: max(0, count - before.count), on: loop)
                return blocked()
            case .failed(let number):
                writingFailed(number)
                return .written
            }
        }
    }

    /// Sends what this turn has written; if the socket is full, the delegate is called in the next turn.
    func send(from batch: SendBatch) {
        guard batchEntry >= 0 else { return }
        // SAFETY: the bytes are lent for the call.
        unsafe batch.take(of: self) { bytes in
            switch unsafe wire.send(bytes, UnsafeRawBufferPointer(start: nil, count: 0), on: loop) {
            case .sent(bytes.count): break
            case .sent(let count):
                unsafe queue.append(bytes.bindMemory(to: UInt8.self).span, skipping: count, on: loop)
                _ = blocked()
                loop.later { [self] in
                    if machine.owesDrain { listener?.streamBlocked() }
                }
            case .failed(let number): writingFailed(number)
            }
        }
    }

    func watchWriting() {
        if writeEvent == nil {
            // SAFETY: the event is a stored property of this connection.
            writeEvent = unsafe BareEvent(
                on: loop, descriptor: wire.descriptor, Event.write | Event.persist, streamWritable,
                Unmanaged.passUnretained(self).toOpaque())
        }
        writeEvent?.add()
    }

    private func blocked() -> WriteResult {
        machine.blocked()
        watchWriting()
        return .blocked
    }

    fileprivate func writable() {
        guard !isClosed else { return }
        if !queue.isEmpty {
            // SAFETY: the bytes are lent for the call, which does not touch the queue.
            let outcome = unsafe queue.withBytes { bytes in
                unsafe wire.send(bytes, UnsafeRawBufferPointer(start: nil, count: 0), on: loop)
            }
            switch outcome {
            case .sent(let count): queue.removeFirst(count, on: loop)
            case .failed(let number): return writingFailed(number)
            }
        }
        guard queue.isEmpty else { return }
        writeEvent?.remove()
        queueEmptied()
        if let tls = wire.tls, tls.receiveWaitsForSend { readable() }
    }

    private func queueEmptied() {
        switch machine.queueEmptied() {
        case .tell: listener?.streamDrained()
        case .sendEnd: sendEnd()
        case .none: break
        }
    }

    private func writingFailed(_ number: Int32) {
        queue.clear(on: loop)
        writeEvent?.remove()
        switch machine.writingFailed(number) {
        case .fail: failLater(number)
        case .resume:
            loop.later { [self] in
                queueEmptied()
                resumeReading()
            }
        case .none: break
        }
    }

    /// Reports the failure after this turn.
    func failLater(_ number: Int32) {
        loop.later { [self] in
            if !isClosed { fail(failure(number)) }
        }
    }
}

// SAFETY: `context` is the connection whose stored property the event is, so it lives.
private func streamWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamConnection>.fromOpaque(context).takeUnretainedValue().writable()
}
