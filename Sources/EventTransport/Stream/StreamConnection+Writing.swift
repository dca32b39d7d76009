import Glibc

extension StreamConnection {
    /// What a write to a connection gives that the peer ended in order before it broke it off.
    static let brokenPipe = EPIPE

    /// How many bytes wait for the socket to take them.
    package var queuedByteCount: Int { machine.owesDrain ? queue.count : 0 }

    /// How many bytes were written that the peer's system has not acknowledged: of two counts with no write in between the
    /// later one is lower if the peer has taken anything meanwhile.
    ///
    /// Costs a system call. A peer that reads slowly frees the socket in steps too large to go by.
    package var unacknowledgedByteCount: Int {
        loop.sends.count(of: self) + queue.count + wire.unacknowledgedByteCount
    }

    /// Sends the bytes at the end of the loop's turn, together with what else the turn writes.
    ///
    /// A large piece is sent at once, behind what the turn has written before. Queues a copy of what the socket does not take.
    /// Never calls the delegate. Of bytes that are sent later `streamBlocked` tells that the socket was full.
    ///
    /// Writes after a failure are dropped. The failure is told by the read side (`streamFailed` or `streamEnded`) after the
    /// bytes that the peer still sent, so that an early response is not lost; if reading is paused, on resuming.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> WriteResult {
        // First, as this may fill this very connection's socket.
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

    /// Writes both, one behind the other, with one system call where possible.
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

    /// Sends what this turn has written and the bytes behind it.
    private func sendNow(_ bytes: Span<UInt8>) -> WriteResult {
        // SAFETY: both stretches are lent for the call.
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

    /// Sends what this turn has written; the delegate hears in the next turn if the socket was full.
    func send(from batch: SendBatch) {
        guard batchEntry != nil else { return }
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
            writeEvent = unsafe Event(
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

    /// Tells of the failure behind this turn.
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
