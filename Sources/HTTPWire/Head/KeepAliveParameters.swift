/// Reads the Keep-Alive field, which is only a hint and so never a reason to refuse a message (RFC 2068 section
/// 19.7.1).
enum KeepAliveParameters {
    /// A backend's promise of more than a day is ignored, and the number cannot overflow.
    private static let longestTimeout = 86_400

    /// The seconds after "timeout=".
    static func timeout(_ bytes: Span<UInt8>, _ value: ByteRange) -> Int? {
        let name = "timeout="
        var list = TokenList(value)
        while let parameter = list.next(in: bytes) {
            let digits = parameter.lowerBound + name.utf8.count
            guard digits < parameter.upperBound,
                ASCII.equalsIgnoringCase(bytes, ByteRange(parameter.lowerBound, digits), name)
            else { continue }
            var seconds = 0
            for index in digits..<parameter.upperBound {
                guard ASCII.isDigit(bytes[index]) else { return nil }
                seconds = min(seconds * 10 + Int(bytes[index] & 0x0F), longestTimeout)
            }
            return seconds
        }
        return nil
    }
}
