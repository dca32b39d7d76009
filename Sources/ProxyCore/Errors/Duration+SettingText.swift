extension Duration {
    /// A configured duration for people, exactly: `30 s`, or `500 ms` unless it is a whole number of seconds.
    package var settingText: String {
        let parts = components
        guard parts.attoseconds != 0 else { return "\(parts.seconds) s" }
        return "\(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000) ms"
    }
}
