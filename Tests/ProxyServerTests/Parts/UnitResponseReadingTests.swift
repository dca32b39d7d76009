import HTTPWire
import ProxyCore
import Testing

@testable import ProxyServer

@Suite("The part of a response that is read next")
struct UnitResponseReadingTests {
    private static let end = ConnectionReuse(
        upstreamReusable: true, downstreamPersistent: true, keepAliveTimeout: 5)

    private static let body = ResponseReading.Body(status: 200, end: end)

    @Test("is a head from the first byte on, and not begun before the final one")
    func heads() {
        var reading = ResponseReading.nothing
        let hasReceivedBefore = reading.hasReceived
        let action = reading.received(bytes("HTTP/1.1 ").span)
        let hasReceived = reading.hasReceived
        let status = reading.status
        #expect(!hasReceivedBefore && hasReceived && action == .readHeads && status == nil)
        reading.bodyBegan(.init(status: 404, end: Self.end))
        let begun = reading.status
        #expect(begun == 404)
        reading.reset()
        let isFresh = !reading.hasReceived && reading.status == nil
        #expect(isFresh)
    }

    @Test("keeps the beginning of a head until its end has arrived")
    func partialHead() {
        var reading = ResponseReading.head
        reading.headBegan(bytes("HTTP/1.1 200 OK\r\n").span, limits: HeadLimits())
        let first = reading.received(bytes("A: b\r\n").span)
        let second = reading.received(bytes("\r\nbody").span)
        #expect(first == .report(.incomplete))
        #expect(second == .readKept(bytes("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody")))
    }

    @Test("knows the status of a response that it holds back")
    func heldStatus() {
        for status in [401, 403, 200] {
            let head = bytes("HTTP/1.1 \(status) x\r\n\r\n")
            var reading = ResponseReading.head
            let before = reading.heldStatus
            reading.wasHeldBack(head.span, until: nil)
            let held = reading.heldStatus
            _ = reading.take()
            reading.wasHeldBack(head.span, until: RefusalSearch(for: ["expired"], framing: .length(10)))
            let suspected = reading.heldStatus
            _ = reading.take()
            let after = reading.heldStatus
            #expect(before == nil && held == status && suspected == status && after == nil)
        }
    }

    @Test("holds a response back until its body has decided")
    func suspicion() {
        for (text, progress) in [
            ("expired", ResponseProgress.credentialRefused), ("fine", .refusalUnfounded),
        ] {
            var reading = ResponseReading.head
            var search = RefusalSearch(for: ["expired"], framing: .length(10))
            let outcome = search.look(at: bytes("").span)
            #expect(outcome == .undecided)
            reading.wasHeldBack(bytes("head").span, until: search)
            let first = reading.received(bytes("123").span)
            let second = reading.received(bytes(text.padding(to: 7)).span)
            let held = reading.take()
            let next = reading.received(bytes("head").span)
            #expect(first == .report(.refusalSuspected) && second == .report(progress))
            #expect(held == bytes("head123" + text.padding(to: 7)) && next == .readHeads)
        }
    }

    @Test("keeps the bytes after a refusal, up to a limit, until it is taken")
    func keptRefusal() {
        var reading = ResponseReading.head
        reading.wasHeldBack(bytes("head").span, until: nil)
        let isKept = reading.keep(bytes("more").span)
        let isTooMuch = !reading.keep([UInt8](repeating: 0, count: 65_536).span)
        let held = reading.take()
        #expect(isKept && isTooMuch && held == bytes("headmore"))
    }

    @Test("has received nothing of the response to a request that is sent again")
    func forgotten() {
        var reading = ResponseReading.head
        reading.wasHeldBack(bytes("head").span, until: nil)
        reading.forget()
        let hasReceived = reading.hasReceived
        #expect(!hasReceived)
    }

    @Test("tells the end of a body with its last piece")
    func body() throws {
        var offset = 0
        var decoder = BodyDecoder(.length(3))
        var reading = ResponseReading.body(Self.body)
        let isBody = reading.received(bytes("abc").span) == .readBody
        let last = try reading.nextPiece(in: bytes("abcd").span, at: &offset, by: &decoder)
        let after = try reading.nextPiece(in: bytes("abcd").span, at: &offset, by: &decoder)
        #expect(isBody && last == .writeLast(0..<3, Self.end) && after == .end(Self.end) && offset == 3)

        decoder = BodyDecoder(.chunked)
        let chunk = bytes("1\r\na\r\n0\r\n\r\n")
        offset = 0
        let piece = try reading.nextPiece(in: chunk.span, at: &offset, by: &decoder)
        let end = try reading.nextPiece(in: chunk.span, at: &offset, by: &decoder)
        #expect(piece == .write(3..<4) && end == .writeEnd(Self.end) && offset == chunk.count)

        decoder = BodyDecoder(.none)
        offset = 0
        let nothing = try reading.nextPiece(in: bytes("").span, at: &offset, by: &decoder)
        #expect(nothing == .end(Self.end))
    }

    @Test("takes the backend's close for the end of a body only where that is its end")
    func close() throws {
        let reading = ResponseReading.body(Self.body)
        var unframed = BodyDecoder(.untilClose)
        let end = try reading.backendClosed(in: &unframed)
        #expect(end.downstreamPersistent && !end.upstreamReusable)
        #expect(throws: MessageError.bodyCutShort) {
            var cut = BodyDecoder(.length(3))
            _ = try ResponseReading.body(Self.body).backendClosed(in: &cut)
        }
        #expect(throws: MessageError.bodyCutShort) {
            var decoder = BodyDecoder(.untilClose)
            _ = try ResponseReading.head.backendClosed(in: &decoder)
        }
    }

    @Test("traps when a response is read that is held back")
    func readingWhileHeldBack() async {
        await #expect(processExitsWith: .failure) {
            var reading = ResponseReading.heldBack([1])
            _ = reading.received([2].span)
        }
    }

    @Test("traps when a second final head comes")
    func secondFinalHead() async {
        await #expect(processExitsWith: .failure) {
            var reading = ResponseReading.body(UnitResponseReadingTests.body)
            reading.bodyBegan(UnitResponseReadingTests.body)
        }
    }

    @Test("traps when a response is taken that is not held back")
    func takingNothing() async {
        await #expect(processExitsWith: .failure) {
            var reading = ResponseReading.head
            _ = reading.take()
        }
    }

    @Test("traps when a body is read before its head arrived")
    func bodyWithoutHead() async {
        await #expect(processExitsWith: .failure) {
            let reading = ResponseReading.head
            var (offset, decoder) = (0, BodyDecoder(.none))
            _ = try reading.nextPiece(in: [1].span, at: &offset, by: &decoder)
        }
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

extension String {
    fileprivate func padding(to count: Int) -> String {
        self + String(repeating: ".", count: max(0, count - utf8.count))
    }
}
