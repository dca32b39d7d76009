/// Which texts are allowed in which part of a header field.
package enum FieldText {
    /// RFC 6750 section 2.1, `b64token`: the only form of a bearer token that is accepted, so that no line break gets
    /// into a field.
    package static func isBearerToken(_ text: String) -> Bool {
        let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !body.isEmpty
            && body.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
                    UInt8(ascii: "/"):
                    true
                default: isAlphanumeric(byte)
                }
            }
    }

    /// RFC 9110 section 5.6.2, `token`: field names and authentication schemes.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isAlphanumeric($0) || Array("!#$%&'*+-.^_`|~".utf8).contains($0) }
    }

    /// Fields that frame or route a message, or that the next proxy removes.
    private static let reservedFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "max-forwards", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "via",
    ]

    /// Whether a field controls how the message itself is sent, so that it cannot carry a credential; case does not
    /// matter.
    package static func isReserved(_ field: String) -> Bool { reservedFields.contains(field.lowercased()) }

    /// Why a credential cannot be sent in this field with this scheme; nil if it can.
    package static func problem(field: String, scheme: String?) -> String? {
        guard isToken(field) else { return "header is not the name of a field" }
        guard !isReserved(field) else { return "header \(field) cannot carry a credential" }
        if let scheme, !isToken(scheme) { return "scheme is not one word" }
        return nil
    }

    /// RFC 9110 section 5.5: no control byte but the tab, no space or tab at either end, not empty.
    package static func isFieldValue(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        guard first != 0x20, first != 0x09, last != 0x20, last != 0x09 else { return false }
        return text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
    }

    /// The text without spaces and tabs at both ends (OWS, section 5.6.3).
    package static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    /// A word from a server in a form that may be shown: short and plain.
    ///
    /// Nil for a word with eight characters in a row of a secret, with a whole shorter secret, or that is itself a quarter
    /// of one. A shorter part is no secret: a long random text contains any three letters by chance.
    package static func plainWord(_ text: String, hiding hidden: [String]) -> String? {
        guard (1...40).contains(text.utf8.count),
            text.utf8.allSatisfy({ isAlphanumeric($0) || Array("-._".utf8).contains($0) }),
            !ErrorDescription.holdsPart(of: hidden, text)
        else { return nil }
        // A server may repeat a text in another case.
        let word = Array(text.lowercased().utf8)
        let isQuarter = hidden.contains {
            word.count >= $0.utf8.count / 4 && ErrorDescription.isPart(word, of: Array($0.lowercased().utf8))
        }
        return isQuarter ? nil : text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
    }
}

/// Percent-encodes everything but RFC 3986's unreserved characters, which is correct in a form, in a path and in
/// Basic.
///
/// A space becomes %20 and not "+". Both mean a space in a form, but servers that decode Basic credentials as URI
/// components understand only %20.
package enum FormEncoding {
    /// One encoded text.
    package static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded.append("%")
                encoded.unicodeScalars.append(digit(byte >> 4))
                encoded.unicodeScalars.append(digit(byte & 15))
            }
        }
        return encoded
    }

    /// A whole form, its fields in the order given.
    package static func form(_ fields: [TokenParameter]) -> [UInt8] {
        let pairs = fields.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private static func digit(_ value: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
    }
}
