/// What the Connection fields of a head ask for (RFC 9110 section 7.6.1).
package struct ConnectionOptions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let close = Self(rawValue: 1)
    package static let keepAlive = Self(rawValue: 2)
    package static let upgrade = Self(rawValue: 4)
    /// At least one option is no hop-by-hop field that is dropped anyway, and so may name a further field to drop.
    package static let namesFields = Self(rawValue: 8)

    /// Whether the connection stays open after the message, as far as its sender says (RFC 9112 section 9.3).
    package func isPersistent(in version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !contains(.close)
        case .http10: contains(.keepAlive) && !contains(.close)
        }
    }

    init(_ bytes: Span<UInt8>, _ fields: FieldLines) throws(MessageError) {
        self = []
        guard fields.contains(.connection) else { return }
        var names = 0
        for index in 0..<fields.count where fields[index].known == .connection {
            var list = TokenList(fields[index].value)
            while let option = list.next(in: bytes) {
                guard !option.isEmpty else { continue }
                guard ASCII.isToken(bytes, option) else { throw .malformedConnection }
                formUnion(Self(bytes, option: option))
                guard Self.mayName(bytes, option) else { continue }
                names += 1
                guard names <= ConnectionNames.capacity else { throw .tooManyConnectionOptions }
            }
        }
    }

    private init(_ bytes: Span<UInt8>, option: ByteRange) {
        switch FieldName(bytes, option) {
        case .keepAlive: self = .keepAlive
        case .upgrade: self = .upgrade
        default: self = ASCII.equalsIgnoringCase(bytes, option, "close") ? .close : []
        }
        if Self.mayName(bytes, option) { insert(.namesFields) }
    }

    /// Whether the option may be the name of a field that is not dropped anyway.
    static func mayName(_ bytes: Span<UInt8>, _ option: ByteRange) -> Bool {
        !option.isEmpty && !FieldName(bytes, option).isHopByHop
            && !ASCII.equalsIgnoringCase(bytes, option, "close")
    }
}
