import TokenManager

/// Reads `dpop`: `true` for a key made at the start, or a key.
enum DPoPSection {
    enum Key: String, CaseIterable {
        case privateKey
    }

    /// Advises ES256 only, because it is the algorithm of all proofs.
    private static let unsuited =
        "is not an EC key on P-256, which dpop needs; make one with: openssl ecparam -name prime256v1 -genkey -noout"

    /// Nil if the value is unusable.
    static func read(_ setting: Setting?, _ context: LoadContext) -> DPoP?? {
        guard let setting else { return .some(nil) }
        guard case .mapping = setting.node.content else {
            return setting.boolean(context.problems).map { $0 ? .generated : nil }
        }
        guard var keys = MappingReader<Key>(setting, context.problems, quoting: .withValue) else { return nil }
        let key = keys.require(.privateKey, "write { file: … }, or dpop: true for a key made at the start")
        keys.finish(context: "of dpop")
        return key.flatMap { PEMSetting.key($0, .es256, unsuited: unsuited, context) }.map { .privateKey($0) }
    }
}
