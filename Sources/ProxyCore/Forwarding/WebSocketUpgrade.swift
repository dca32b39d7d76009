import HTTPWire

/// The one protocol that Attaché lets an app switch to (RFC 6455, section 4).
///
/// Any other would let the app and the backend speak what Attaché cannot read: with h2c, requests without its rules.
enum WebSocketUpgrade {
    /// Whether a request asks for it, and nothing speaks against a tunnel after the backend's 101.
    static func isAsked(by head: borrowing RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard head.method == .get, head.version == .http11, head.connection.contains(.upgrade) else { return false }
        guard head.framing == .none || head.framing == .length(0) else { return false }
        return isNamed(in: head.fields, bytes)
    }

    /// Whether a 101 switches to it.
    static func isAgreed(to head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        head.version == .http11 && head.connection.contains(.upgrade) && isNamed(in: head.fields, bytes)
    }

    /// Whether an element of the `Upgrade` fields is its name, whose case does not matter (RFC 9110 section 7.8).
    static func isNamed(in fields: FieldLines, _ bytes: Span<UInt8>) -> Bool {
        for index in 0..<fields.count where fields[index].known == .upgrade {
            if isNamed(in: fields[index].value, bytes) { return true }
        }
        return false
    }

    /// Whether an element of the value is its name.
    static func isNamed(in value: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var list = TokenList(value)
        while let element = list.next(in: bytes) {
            if ASCII.equalsIgnoringCase(bytes, element, "websocket") { return true }
        }
        return false
    }

    /// The lines that ask for it, or agree.
    static let lines: StaticString = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
}
