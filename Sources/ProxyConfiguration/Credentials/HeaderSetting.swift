import TokenManager

/// Reads `header` and `scheme`: the field that carries a credential.
enum HeaderSetting {
    /// The word before the value, or nil for `none`.
    struct Scheme: Equatable {
        let word: String?
    }

    /// Nil if the value is unusable.
    static func name(_ setting: Setting?, _ context: LoadContext) -> String? {
        guard let setting else { return "Authorization" }
        guard let name = setting.text(context.problems, what: "a field name") else { return nil }
        guard FieldText.isToken(name) else {
            setting.refuse(context.problems, "is not a field name; write one as in X-Api-Key")
            return nil
        }
        guard !FieldText.isReserved(name) else {
            setting.refuse(context.problems, "names a field that the proxy writes itself; choose another")
            return nil
        }
        return name
    }

    /// Nil if the value is unusable.
    static func scheme(_ setting: Setting?, _ context: LoadContext) -> Scheme? {
        guard let setting else { return Scheme(word: "Bearer") }
        guard let word = setting.text(context.problems, what: "Bearer, another word or none") else { return nil }
        guard FieldText.isToken(word) else {
            setting.refuse(context.problems, "is not a single word; write Bearer, another word or none")
            return nil
        }
        return Scheme(word: word == "none" ? nil : word)
    }
}
