/// The unknown keys that a message may quote although they are near no known key.
enum KeyQuoting {
    case always
    /// Keys with a value. In `{clientSecret, hunter2}` the secret is a key without a value.
    case withValue
    /// No key: the mapping is in the place of a secret.
    case never

    func allows(_ entry: YAMLEntry) -> Bool {
        switch self {
        case .always: KeyText.isWord(entry.key)
        case .withValue: KeyText.isWord(entry.key) && !entry.value.isNull
        case .never: false
        }
    }
}
