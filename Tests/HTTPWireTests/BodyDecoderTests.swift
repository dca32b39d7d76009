import HTTPWire
import Testing

@Suite struct BodyDecoderTests {
    @Test("A body of known length has exactly that many bytes", arguments: [1, 2, 7, 8, 100])
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

    @Test("A body of the largest length is read without overflow")
    func largest() throws {
        var decoder = BodyDecoder(.length(UInt64.max))
        let bytes = [UInt8](repeating: 0, count: 10)
        var offset = 3
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(3..<10))
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
        #expect(!decoder.isComplete)
    }

    @Test("The largest chunk is read without overflow")
    func largestChunk() throws {
        var decoder = BodyDecoder(.chunked)
        let bytes = latin1("7FFFFFFFFFFFFFFF\r\nabc")
        var offset = 0
        #expect(try decoder.next(in: bytes.span, at: &offset) == .data(18..<21))
        #expect(try decoder.next(in: bytes.span, at: &offset) == .needMore)
    }

    @Test("The end is reported once, and only a body that ends by closing ends with the close")
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
