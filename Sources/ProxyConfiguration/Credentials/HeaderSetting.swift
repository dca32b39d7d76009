/// Reads `header` and `scheme`: the field that carries a credential.
enum HeaderSetting {
    /// A word before the value, or none.
    struct Scheme: Equatable {
        let word: String?
    }

    /// Fields that say how the message itself is sent; the proxy writes them.
    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "keep-alive",
        "proxy-connection", "proxy-authorization", "proxy-authenticate", "expect", "via", "max-forwards",
    ]

    /// Nil if what was given will not do.
    static func name(_ setting: Setting?, _ context: LoadContext) -> String? {
        guard let setting else { return "Authorization" }
        guard let name = setting.text(context.problems, what: "a field name") else { return nil }
        guard isToken(name) else {
            context.problems.add(setting.place, "is not a field name; write one as in X-Api-Key")
            return nil
        }
        guard !reserved.contains(name.lowercased()) else {
            context.problems.add(setting.place, "names a field that the proxy writes itself; choose another")
            return nil
        }
        return name
    }

    /// Nil if what was given will not do.
    static func scheme(_ setting: Setting?, _ context: LoadContext) -> Scheme? {
        guard let setting else { return Scheme(word: "Bearer") }
        guard let word = setting.text(context.problems, what: "Bearer, another word or none") else { return nil }
        guard isToken(word) else {
            context.problems.add(setting.place, "is not a single word; write Bearer, another word or none")
            return nil
        }
        return Scheme(word: word == "none" ? nil : word)
    }

    /// RFC 9110 section 5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
