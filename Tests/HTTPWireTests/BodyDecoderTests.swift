import HTTPWire
import Testing

@Suite struct BodyDecoderTests {
    @Test("A chunked body has one form", arguments: ChunkedVectors.all)
    func chunked(_ vector: BodyVector) {
        #expect(BodyOutcome(.chunked, pieces: [vector.bytes[...]]).verdict == vector.verdict)
    }

    @Test("A chunked body means the same however it is cut", arguments: ChunkedVectors.all)
    func chunkedCut(_ vector: BodyVector) {
        let bytes = vector.bytes
        let whole = BodyOutcome(.chunked, pieces: [bytes[...]])
        let single = BodyOutcome(.chunked, pieces: bytes.indices.map { bytes[$0...$0] })
        #expect(single.verdict == vector.verdict)
        #expect(single.consumed == whole.consumed || whole.error != nil)
        for cut in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 200)) {
            let outcome = BodyOutcome(.chunked, pieces: [bytes[..<cut], bytes[cut...]])
            #expect(outcome.verdict == vector.verdict, "cut at \(cut)")
            let prefix = BodyOutcome(.chunked, pieces: [bytes[..<cut]])
            #expect(prefix.verdict == nil || prefix.verdict == vector.verdict, "ended at \(cut)")
            #expect(!prefix.hasEnded || cut == bytes.count, "complete at \(cut)")
        }
    }

    @Test("Bytes after a chunked body are left to the next message", arguments: ChunkedVectors.all)
    func chunkedCoalesced(_ vector: BodyVector) {
        let next = latin1("GET / HTTP/1.1\r\n\r\n")
        let outcome = BodyOutcome(.chunked, pieces: [(vector.bytes + next)[...]])
        #expect(outcome.verdict == vector.verdict)
        if outcome.hasEnded { #expect(outcome.consumed == vector.bytes.count) }
    }

    @Test("A body of known length takes so many bytes and no more", arguments: [1, 2, 7, 8, 100])
    func length(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count) + [2, 2, 2]
        for cut in 0...bytes.count {
            let outcome = BodyOutcome(.length(UInt64(count)), pieces: [bytes[..<cut], bytes[cut...]])
            #expect(outcome.content == [UInt8](repeating: 1, count: count))
            #expect(outcome.hasEnded)
            #expect(outcome.consumed == count)
        }
    }

    @Test("A message without a body ends at once", arguments: [BodyFraming.none, .length(0)])
    func noBody(_ framing: BodyFraming) throws {
        var decoder = BodyDecoder(framing)
        #expect(decoder.isComplete)
        let next: [UInt8] = [65]
        var offset = 0
        #expect(try decoder.next(in: next.span, at: &offset) == .end)
        #expect(try decoder.next(in: next.span, at: &offset) == .needMore)
        #expect(offset == 0)
        #expect(decoder.isComplete)
        try decoder.peerClosed()
    }

    @Test("A body of the largest length is followed without overflow")
    func largest() throws {
        var decoder = BodyDecoder(.length(UInt64.max))
        let bytes = [UInt8](repeating: 0, count: 10)
        var offset = 3
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(3..<10))
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
        #expect(!decoder.isComplete)
    }

    @Test("The largest chunk is followed without overflow")
    func largestChunk() throws {
        var decoder = BodyDecoder(.chunked)
        let bytes = latin1("7FFFFFFFFFFFFFFF\r\nabc")
        var offset = 0
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(18..<21))
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
    }

    @Test("The end is told once, and only what ends by closing ends there")
    func ends() throws {
        var decoder = BodyDecoder(.length(2))
        let bytes: [UInt8] = [1, 2, 3]
        var offset = 0
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(0..<2))
        #expect(decoder.isComplete)
        #expect(try decoder.next(in: bytes.span, at: &offset) == .end)
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
        #expect(offset == 2)
        try decoder.peerClosed()
    }

    @Test(
        "A body that the peer cuts short is never complete",
        arguments: [
            (BodyFraming.length(3), ""), (.length(3), "ab"), (.chunked, ""), (.chunked, "5\r\nhello\r\n"),
            (.chunked, "5\r\nhel"), (.chunked, "0\r\n"), (.chunked, "0\r\nA: b\r\n"), (.chunked, "0\r\n\r"),
        ])
    func cutShort(_ framing: BodyFraming, _ content: String) throws {
        var decoder = BodyDecoder(framing)
        let bytes = latin1(content)
        var offset = 0
        while try decoder.next(in: bytes.span, at: &offset) != .needMore {}
        #expect(!decoder.isComplete)
        #expect(throws: MessageError.bodyCutShort) { try decoder.peerClosed() }
        #expect(!decoder.isComplete)
    }

    @Test("A body that ends with its connection is complete when the peer closes")
    func untilClose() throws {
        var decoder = BodyDecoder(.untilClose)
        let bytes: [UInt8] = [1, 2, 3]
        var offset = 1
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(1..<3))
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
        #expect(!decoder.isComplete)
        try decoder.peerClosed()
        #expect(decoder.isComplete)
        #expect(try decoder.next(in: bytes.span, at: &offset) == .end)
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
    }

    @Test("A refused body stays refused")
    func refusedAgain() {
        var decoder = BodyDecoder(.chunked)
        let bytes = latin1("x")
        var offset = 0
        for _ in 0..<3 {
            #expect(throws: MessageError.malformedChunkSize) { try decoder.next(in: bytes.span, at: &offset) }
        }
        #expect(throws: MessageError.bodyCutShort) { try decoder.peerClosed() }
    }
}
