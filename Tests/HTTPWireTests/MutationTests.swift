import HTTPWire
import Support
import Testing
import Vectors

@Suite struct MutationTests {
    /// Bytes that have a meaning somewhere in a message, and so change it where they turn up.
    private static let telling = latin1("\r\n\t :,;/@[]%#\u{0}\u{7F}\u{80}\u{FF}\"0159afxHTPc*.-+=")

    private static let heads = VectorTests.messages.filter { !$0.isBody && $0.input.count < 400 }.map(\.input)
    private static let bodies = VectorTests.messages.filter { $0.isBody && $0.input.count < 400 }.map(\.input)

    @Test("No change to a head causes a trap or a second meaning", arguments: 0..<8)
    func headsAreSafe(_ seed: Int) throws {
        try #require(!Self.heads.isEmpty)
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1500 {
            let bytes = mutated(Self.heads, &random)
            let request = Outcome.request(bytes)
            if case .accepted(let summary) = request {
                let again = try #require(try serialized(request: bytes))
                #expect(meaning(Outcome.request(again)) == meaning(.accepted(summary)))
            }
            for method in [Method.get, .head, .connect] {
                let response = Outcome.response(bytes, answering: method)
                if case .accepted(let summary) = response {
                    #expect(summary.byteCount <= bytes.count)
                    #expect(!summary.fields.contains { $0.contains("\n") || $0.contains("\r") || $0.contains("\0") })
                }
            }
            _ = Outcome.request(bytes, HeadLimits(headBytes: 1, fieldCount: 1))
            var scanner = HeadScanner()
            _ = scanner.scan(bytes.span)
        }
    }

    @Test("A changed head is judged the same whole and in two pieces", arguments: 100..<104)
    func headsAreSplitInvariant(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1000 {
            let bytes = mutated(Self.heads, &random)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let prefix = Array(bytes[..<cut])
            for (part, whole) in [
                (Outcome.request(prefix), Outcome.request(bytes)),
                (Outcome.response(prefix, answering: .get), Outcome.response(bytes, answering: .get)),
            ] {
                #expect(part == .incomplete || part == whole)
            }
        }
    }

    @Test("No change to a body causes a trap, and no cut another meaning", arguments: 200..<206)
    func bodiesAreSafe(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1000 {
            let bytes = mutated(Self.bodies, &random)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            for framing in [BodyFraming.chunked, .length(UInt64(cut)), .untilClose] {
                let whole = BodyOutcome(framing, pieces: [bytes[...]])
                let pieces = BodyOutcome(framing, pieces: [bytes[..<cut], bytes[cut...]])
                #expect(whole.content == pieces.content)
                #expect(whole.error == pieces.error)
                #expect(whole.hasEnded == pieces.hasEnded)
                #expect(whole.error != nil || whole.consumed == pieces.consumed)
            }
        }
    }

    private func mutated(_ sources: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = sources.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let byte = Self.telling.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.insert(byte, at: place)
            case 1 where place < bytes.count: bytes[place] = byte
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 4:
                let other = sources.randomElement(using: &random) ?? []
                let start = Int.random(in: 0...other.count, using: &random)
                bytes = Array(bytes[..<place]) + Array(other[start...])
            default:
                let end = min(bytes.count, place + Int.random(in: 0..<20, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
        }
        return bytes
    }

    /// The head written anew from what was understood, as a forwarder does it.
    private func serialized(request bytes: [UInt8]) throws -> [UInt8]? {
        guard let head = try RequestHead.parse(bytes.span, limits: HeadLimits()) else { return nil }
        var out = OutputBuffer()
        out.append(copying: bytes.span, head.methodName)
        out.append(text: " ")
        out.append(copying: bytes.span, head.targetText)
        out.append(text: head.version == .http11 ? " HTTP/1.1" : " HTTP/1.0")
        out.appendCRLF()
        for index in 0..<head.fields.count { out.append(head.fields[index], of: bytes.span) }
        out.appendCRLF()
        return out.copied()
    }

    /// The outcome without what depends on white space.
    private func meaning(_ outcome: Outcome) -> Outcome {
        guard case .accepted(var summary) = outcome else { return outcome }
        summary.byteCount = 0
        return .accepted(summary)
    }
}
