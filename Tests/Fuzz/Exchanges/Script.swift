/// What an input of the fuzzer makes the two ends do: a "`", a letter and bytes, again and again.
///
/// What comes before the first "`" is sent by the first app. A step whose letter is none is dropped.
enum Step {
    /// An app sends bytes, on a new connection if it has none.
    case clientSends(Int, [UInt8])
    case clientEnds(Int)
    case clientResets(Int)
    /// The backend that heard last sends bytes.
    case backendSends([UInt8])
    case backendEnds
    case backendResets
    /// The backend that heard last answers its last request as it should, with the target as content.
    case backendEchoes(chunked: Bool)
    /// The same without the last chunk.
    case backendEchoesHalf
    /// The backend that heard last sends an answer that the kernel does not hold for a late reader.
    case backendSendsMuch
    /// From here on an app does not read, or reads again.
    case clientTurnsLate(Int)
    /// The token server answers who waits for it with another token.
    case tokenComes
    /// The fetch of another token fails for who waits for it, so that the one it had serves on.
    case tokenFails
    /// From here on everybody sends one byte at a time, or no longer.
    case turnPiecewise

    static func script(_ bytes: [UInt8]) -> [Step] {
        let parts = bytes.split(separator: UInt8(ascii: "`"), omittingEmptySubsequences: false)
        let first = parts.first.map { [Step.clientSends(0, Array($0))] } ?? []
        // Enough for anything that a few thousand bytes can say, and a bound for the time of a run.
        return first + parts.dropFirst().prefix(64).compactMap { part in step(part) }
    }

    private static func step(_ part: ArraySlice<UInt8>) -> Step? {
        guard let letter = part.first else { return nil }
        let bytes = Array(part.dropFirst())
        switch UnicodeScalar(letter) {
        case "c": return .clientSends(0, bytes)
        case "d": return .clientSends(1, bytes)
        case "C": return .clientEnds(0)
        case "D": return .clientEnds(1)
        case "r": return .clientResets(0)
        case "s": return .clientResets(1)
        case "b": return .backendSends(bytes)
        case "B": return .backendEnds
        case "x": return .backendResets
        case "e": return .backendEchoes(chunked: false)
        case "k": return .backendEchoes(chunked: true)
        case "h": return .backendEchoesHalf
        case "m": return .backendSendsMuch
        case "l": return .clientTurnsLate(0)
        case "L": return .clientTurnsLate(1)
        case "t": return .tokenComes
        case "T": return .tokenFails
        case "u": return .turnPiecewise
        default: return nil
        }
    }
}
