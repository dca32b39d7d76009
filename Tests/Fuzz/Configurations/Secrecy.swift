@testable import ProxyConfiguration
@testable import TokenManager

/// What the seeds and the dictionary write where a secret belongs.
private let canary = "cAnArY5ecret"

/// The same file with another secret reads as the same to a person.
func requireHiddenSecrets(of configuration: Configuration, in bytes: [UInt8]) {
    let summary = ConfigurationSummary(configuration).description
    for secret in configuration.credentials.flatMap(\.literalSecrets) {
        let text = Array(secret.utf8)
        // Shorter ones may stand in the summary by chance.
        guard text.count >= 4, bytes.occurrences(of: text) == 1, let start = bytes.firstIndex(of: text) else {
            continue
        }
        var other = bytes
        other.replaceSubrange(start..<start + text.count, with: Array(repeating: UInt8(ascii: "q"), count: text.count))
        guard let changed = try? load(other) else { continue }
        require(ConfigurationSummary(changed).description == summary, "the summary shows a secret")
    }
    for credential in configuration.credentials
    where credential.literalSecrets.contains(where: { $0.contains(canary) }) {
        require(!"\(credential.source)".contains(canary), "a credential's description shows a secret")
    }
}

/// Where the canary stands only as a secret, no problem shows it; where the text is no YAML, none shows any of it.
func requireHiddenCanary(_ bytes: [UInt8], _ error: ConfigurationError) {
    guard bytes.firstIndex(of: Array(canary.utf8)) != nil else { return }
    if let root = YAMLDocument(bytes).root {
        guard root.holdsOnlyAsSecret(canary) else { return }
    }
    require(!error.description.contains(canary), "a problem shows a secret")
}

extension CredentialConfiguration {
    fileprivate var literalSecrets: [String] {
        let secrets: [Secret] =
            switch CredentialKind(self) {
            case .grant(_, let all): Array(all.values)
            case .local(let secret, _): [secret]
            case .broken: []
            }
        return secrets.compactMap { if case .literal(let text) = $0 { text } else { nil } }
    }
}

extension YAMLNode {
    fileprivate func holdsOnlyAsSecret(_ canary: String, below key: String = "") -> Bool {
        switch content {
        case .scalar(let text, _): return ["value", "clientSecret", "secret"].contains(key) || !text.contains(canary)
        case .sequence(let nodes): return nodes.allSatisfy { $0.holdsOnlyAsSecret(canary) }
        case .mapping(let entries):
            return entries.allSatisfy { !$0.key.contains(canary) && $0.value.holdsOnlyAsSecret(canary, below: $0.key) }
        case .refused: return false
        }
    }
}
