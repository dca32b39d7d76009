import HTTPWire
import ProxyCore
import Testing

@Suite("The search for a refusal in a body")
struct RefusalSearchTests {
    private static let text = "Unknown kid"
    private static let json = #"{"error":"bad_request","reason":"Unknown kid"}"#

    /// What the search says after each piece, up to its outcome.
    private func outcomes(_ pieces: [String], _ framing: BodyFraming) -> [RefusalSearch.Outcome] {
        var search = RefusalSearch(for: ["Bad signature", Self.text], framing: framing)
        var outcomes: [RefusalSearch.Outcome] = []
        for piece in pieces where outcomes.allSatisfy({ $0 == .undecided }) {
            outcomes.append(search.look(at: latin1(piece).span))
        }
        return outcomes
    }

    private func chunked(_ pieces: [String], isWhole: Bool = true) -> String {
        pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + (isWhole ? "0\r\n\r\n" : "")
    }

    @Test("A short body is decided at once")
    func short() {
        #expect(outcomes([Self.json], .length(UInt64(Self.json.utf8.count))) == [.found])
        #expect(outcomes(["other"], .length(5)) == [.absent])
        #expect(outcomes([""], .length(0)) == [.absent])
        #expect(outcomes([""], .none) == [.absent])
        #expect(outcomes(["unknown KID"], .length(11)) == [.absent])
    }

    @Test("A text is found wherever it is cut, in every framing")
    func cut() {
        let bodies: [(String, BodyFraming)] = [
            (Self.json, .length(UInt64(Self.json.utf8.count))), (Self.json, .untilClose),
            (chunked([Self.json]), .chunked), (chunked(Self.json.map { "\($0)" }), .chunked),
        ]
        for (body, framing) in bodies {
            let characters = Array(body)
            for place in 0...characters.count {
                let found = outcomes([String(characters[..<place]), String(characters[place...])], framing)
                #expect(found.last == .found, "\(framing) \(place)")
            }
        }
    }

    @Test(
        "The text counts only if all of it is in the first KiB",
        arguments: [(1013, true), (1014, false), (5000, false)])
    func limit(before: Int, isFound: Bool) {
        let body = String(repeating: "x", count: before) + Self.text + "and more"
        #expect(outcomes([body], .untilClose) == [isFound ? .found : .absent])
        let chunks = stride(from: 0, to: body.utf8.count, by: 100).map { String(body.dropFirst($0).prefix(100)) }
        #expect(outcomes([chunked(chunks)], .chunked) == [isFound ? .found : .absent])
    }

    @Test("Of a body that never ends, only the first KiB is searched")
    func endless() {
        let found = outcomes(Array(repeating: "x", count: 5000), .untilClose)
        #expect(found == Array(repeating: .undecided, count: 1023) + [.absent])
        // Chunks of one byte take six bytes each, so that 4 KiB of them hold less than a KiB.
        let chunks = outcomes(Array(repeating: chunked(["x"], isWhole: false), count: 5000), .chunked)
        #expect(chunks.count == 683 && chunks.last == .absent)
    }

    @Test("A body that cannot be read is passed on")
    func malformed() {
        #expect(outcomes(["zz\r\n"], .chunked) == [.absent])
    }
}
