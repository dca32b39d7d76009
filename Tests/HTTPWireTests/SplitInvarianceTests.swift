import HTTPWire
import Testing

@Suite struct SplitInvarianceTests {
    private static let neighbour = latin1("GET /neighbour HTTP/1.1\r\nHost: n\r\n\r\n")
    private static let responseNeighbour = latin1("HTTP/1.1 200 N\r\nContent-Length: 1\r\n\r\n")

    @Test("A request means the same however it is cut", arguments: RequestHeadTests.vectors)
    func requestCut(_ vector: Vector) {
        checkCuts(vector.bytes) { Outcome.request($0) }
    }

    @Test("A response means the same however it is cut", arguments: ResponseVectors.all)
    func responseCut(_ vector: Vector) {
        checkCuts(vector.bytes) { Outcome.response($0, answering: vector.method) }
    }

    @Test("A request means the same beside a neighbour", arguments: RequestHeadTests.vectors)
    func requestCoalesced(_ vector: Vector) {
        let outcome = Outcome.request(vector.bytes)
        #expect(Outcome.request(vector.bytes + Self.neighbour) == outcome)
        #expect(Outcome.request(vector.bytes + vector.bytes) == outcome)
        // The vector follows the neighbour, and is parsed where the neighbour ends.
        let both = Self.neighbour + vector.bytes
        guard case .accepted(let first) = Outcome.request(both) else {
            Issue.record("the neighbour was refused")
            return
        }
        #expect(first.byteCount == Self.neighbour.count)
        #expect(Outcome.request(Array(both.dropFirst(first.byteCount))) == outcome)
    }

    @Test("A response means the same beside a neighbour", arguments: ResponseVectors.all)
    func responseCoalesced(_ vector: Vector) {
        let outcome = Outcome.response(vector.bytes, answering: vector.method)
        let both = vector.bytes + Self.responseNeighbour
        #expect(Outcome.response(both, answering: vector.method) == outcome)
    }

    private func checkCuts(_ bytes: [UInt8], _ parse: ([UInt8]) -> Outcome) {
        let whole = parse(bytes)
        var scanner = HeadScanner()
        var isFound = false
        // A long vector is cut at two hundred places, one byte at a time near its ends.
        let places = Set(stride(from: 0, through: bytes.count, by: max(1, bytes.count / 200)))
        for cut in 0...bytes.count where places.contains(cut) || cut < 50 || cut > bytes.count - 50 {
            let prefix = Array(bytes[..<cut])
            let outcome = parse(prefix)
            isFound = scanner.scan(prefix.span)
            switch outcome {
            case .incomplete: break
            case .accepted:
                #expect(outcome == whole && cut == bytes.count, "accepted at \(cut)")
                #expect(isFound, "the scanner missed the end at \(cut)")
            case .refused: #expect(outcome == whole, "refused at \(cut)")
            }
        }
        if case .accepted = whole { #expect(isFound) }
    }
}
