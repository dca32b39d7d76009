import Glibc

extension StreamConnection {
    /// What a write to a connection gives that the peer ended in order before it broke it off.
    static let brokenPipe = EPIPE

    /// How many bytes wait for the socket to take them.
    package var queuedByteCount: Int { owesDrain ? queue.count : 0 }

    /// How many bytes were written that the peer's system has not acknowledged: of two counts with no write in between the
    /// later one is lower if the peer has taken anything meanwhile.
    ///
    /// Costs a system call. A peer that reads slowly frees the socket in steps too large to go by.
    package var unacknowledgedByteCount: Int { queue.count + wire.unacknowledgedByteCount }

    /// Sends what the socket takes and queues a copy of the rest; never calls the delegate.
    ///
    /// Writes after a failure are dropped. The failure is told by the read side (`streamFailed` or `streamEnded`)
    /// after the bytes that the peer still sent, so that an early response is not lost; if reading is paused, on
    /// resuming.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> WriteResult {
        guard isOpen, writeSide == .open, !bytes.isEmpty else { return .written }
        var sent = 0
        if queuedByteCount == 0 {
            // SAFETY: the bytes are lent for the call.
            let outcome = unsafe bytes.withUnsafeBytes { bytes in
                unsafe wire.send(bytes, UnsafeRawBufferPointer(start: nil, count: 0), on: loop)
            }
            switch outcome {
            case .sent(bytes.count): return .written
            case .sent(let count): sent = count
            case .failed(let number):
                writingFailed(number)
                return .written
            }
        }
        queue.append(bytes, skipping: sent, on: loop)
        return blocked()
    }

    /// Sends both, one behind the other, with one system call where possible.
    @discardableResult
    package func write(_ first: Span<UInt8>, _ second: Span<UInt8>) -> WriteResult {
        guard !first.isEmpty else { return write(second) }
        guard !second.isEmpty else { return write(first) }
        guard isOpen, writeSide == .open else { return .written }
        var sent = 0
        if queuedByteCount == 0 {
            // SAFETY: the bytes are lent for the call.
            let outcome = unsafe first.withUnsafeBytes { first in
                unsafe second.withUnsafeBytes { second in
                    unsafe wire.send(first, second, on: loop)
                }
            }
            switch outcome {
            case .sent(first.count + second.count): return .written
            case .sent(let count): sent = count
            case .failed(let number):
                writingFailed(number)
                return .written
            }
        }
        queue.append(first, skipping: min(sent, first.count), on: loop)
        queue.append(second, skipping: max(0, sent - first.count), on: loop)
        return blocked()
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
        owesDrain = true
        watchWriting()
        return .blocked
    }

    fileprivate func writable() {
        guard isOpen else { return }
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
        if owesDrain {
            owesDrain = false
            delegate?.streamDrained()
        }
        if let tls = wire.tls, tls.receiveWaitsForSend { readable() }
    }

    private func writingFailed(_ number: Int32) {
        writeSide = .failed(number)
        queue.clear(on: loop)
        writeEvent?.remove()
        if hasEnded {
            // Nothing will be read any more, so nothing else would tell.
            loop.later { [self] in
                if isOpen { fail(failure(number)) }
            }
        } else if isPaused {
            // The failure is told by reading, and whoever paused it may never learn that there is nothing to wait for.
            loop.later { [self] in
                guard isOpen else { return }
                if owesDrain {
                    owesDrain = false
                    delegate?.streamDrained()
                }
                resumeReading()
            }
        }
    }
}

// SAFETY: `context` is the connection whose stored property the event is, so it lives.
private func streamWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamConnection>.fromOpaque(context).takeUnretainedValue().writable()
}
