@testable import HTTPWire

/// What a decoder makes of a body that comes in pieces.
struct Decoding: Equatable {
    enum End: Equatable {
        case needsMore
        case refused(MessageError)
        /// So many bytes belonged to the body.
        case ended(Int)
    }

    var content: [UInt8] = []
    var end = End.needsMore

    init(of pieces: [[UInt8]]) {
        var decoder = BodyDecoder(.chunked)
        var before = 0
        for piece in pieces {
            var offset = 0
            do throws(MessageError) {
                reading: while end == .needsMore {
                    let started = offset
                    switch try decoder.next(in: piece.span, at: &offset) {
                    case .data(let range):
                        require(!range.isEmpty && range.lowerBound >= started, "an empty or repeated piece of content")
                        require(range.upperBound == offset && offset <= piece.count, "content beyond the bytes given")
                        content += piece[range]
                    case .end: end = .ended(before + offset)
                    case .needMore:
                        require(offset == piece.count, "bytes are left although more are wanted")
                        break reading
                    }
                }
                before += piece.count
            } catch {
                end = .refused(error)
            }
            guard end == .needsMore else { break }
        }
        requireEnd(&decoder)
    }

    /// The end of the connection completes a body only where it was complete.
    private func requireEnd(_ decoder: inout BodyDecoder) {
        if case .refused = end { return }
        var isCut = false
        do throws(MessageError) { try decoder.peerClosed() } catch { isCut = true }
        require(isCut == (end == .needsMore), "a body cut short looks complete, or the other way round")
    }
}
