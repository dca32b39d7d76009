package import HTTPWire

/// How many more proxies a request may pass (RFC 9110 section 7.6.2).
package enum MaxForwards {
    /// The `Max-Forwards` of an OPTIONS or a TRACE; nil for other methods and if no value is a number.
    ///
    /// Of several values, the smallest counts. A request with 0 is for Attaché itself, so it is never forwarded.
    package static func of(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> Int? {
        switch head.method {
        case .options, .trace: break
        default: return nil
        }
        guard head.fields.contains(.maxForwards) else { return nil }
        var least: Int?
        for index in 0..<head.fields.count where head.fields[index].known == .maxForwards {
            guard let number = number(head.fields[index].value, in: bytes) else { continue }
            least = min(least ?? number, number)
        }
        return least
    }

    private static func number(_ value: ByteRange, in bytes: Span<UInt8>) -> Int? {
        guard (1...9).contains(value.count) else { return nil }
        var number = 0
        for index in value.lowerBound..<value.upperBound {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
