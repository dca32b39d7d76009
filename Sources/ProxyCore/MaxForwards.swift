package import HTTPWire

/// How many more proxies a request may pass (RFC 9110 section 7.6.2).
package enum MaxForwards {
    /// The number that an OPTIONS or a TRACE came with; nil for other methods and for what is no number.
    ///
    /// Zero means that the request is for us, so it never gets as far as being forwarded.
    package static func of(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> Int? {
        switch head.method {
        case .options, .trace: break
        default: return nil
        }
        guard let field = head.fields.first(.maxForwards), (1...9).contains(field.value.count) else { return nil }
        var number = 0
        for index in field.value.lowerBound..<field.value.upperBound {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
