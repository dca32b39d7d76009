import HTTPWire
import Testing

/// One body with the clause that decides about it, and what it decodes to.
struct BodyVector: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable, Equatable {
        case decoded(String)
        case refused(MessageError)
    }

    let clause: String
    let bytes: [UInt8]
    let verdict: Verdict

    init(_ clause: String, _ text: String, _ verdict: Verdict) {
        self.clause = clause
        bytes = latin1(text)
        self.verdict = verdict
    }

    var testDescription: String { "\(clause): \(String(decoding: bytes.prefix(80), as: UTF8.self).debugDescription)" }
}

/// What came of decoding a body that was given in pieces.
struct BodyOutcome: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var hasEnded = false
    var error: MessageError?

    /// Feeds the pieces as a connection would: what one leaves unread is not given again.
    init(_ framing: BodyFraming, pieces: [ArraySlice<UInt8>]) {
        var decoder = BodyDecoder(framing)
        for piece in pieces {
            let bytes = Array(piece)
            var offset = 0
            feeding: while true {
                do throws(MessageError) {
                    let before = offset
                    switch try decoder.next(in: bytes.span, at: &offset) {
                    case .data(let range):
                        precondition(before <= range.lowerBound && !range.isEmpty, "content is read once")
                        precondition(range.upperBound == offset, "the offset is after the content given")
                        content += bytes[range]
                    case .end:
                        hasEnded = true
                        consumed += offset
                        return
                    case .needMore:
                        break feeding
                    }
                } catch {
                    self.error = error
                    return
                }
            }
            consumed += offset
        }
    }

    var verdict: BodyVector.Verdict? {
        if let error { return .refused(error) }
        return hasEnded ? .decoded(String(content.map { Character(UnicodeScalar($0)) })) : nil
    }
}
