/// Reads `--gateway ADDRESS=URL`: the address of a gateway listener, and the backend that it serves.
struct GatewayOption {
    let listener: ListenerConfiguration
    let url: URLText
    let place: Place

    /// Nil after a problem was reported.
    static func read(_ setting: Setting, allowsNonLoopback: Bool, _ problems: ProblemList) -> GatewayOption? {
        guard let text = setting.text(problems, what: "ADDRESS=URL") else { return nil }
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex, sign < text.index(before: text.endIndex)
        else {
            setting.refuse(
                problems,
                "is not an address and a URL; write ADDRESS=URL, as in 127.0.0.1:3129=https://backend.example")
            return nil
        }
        let address = Setting(text: String(text[..<sign]), place: setting.place)
        let backend = Setting(text: String(text[text.index(after: sign)...]), place: setting.place)
        let listener = ListenerSection.address(
            address, allowsNonLoopback: allowsNonLoopback, advice: OptionName.allowNonLoopback.advice, problems)
        let url = backend.parsed(problems, what: "a URL", URLText.upstream)
        guard let listener, let url else { return nil }
        return GatewayOption(listener: listener, url: url, place: setting.place)
    }
}
