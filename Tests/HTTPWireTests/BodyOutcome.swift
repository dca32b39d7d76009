import HTTPWire

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
}
