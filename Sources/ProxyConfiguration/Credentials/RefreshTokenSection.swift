import ProxyCore
import TokenManager

/// Reads a credential of type `refreshToken`.
enum RefreshTokenSection {
    private enum Key: String, CaseIterable {
        case file
    }

    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> RefreshToken? {
        let endpoint = EndpointSetting.read(&keys, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: endpoint, context)
        let client = ClientSection.read(&keys, tls, context)
        let path = keys.require(.refreshToken, "write { file: … } of the refresh token").flatMap { file($0, context) }
        for key in [CredentialKey.scope, .audience, .resource] {
            if let setting = keys.take(key) { refuseParameters(in: setting, context) }
        }
        let access = AccessSection.read(&keys, context)
        guard let endpoint, let client, let path, let tls else { return nil }
        return RefreshToken(endpoint: endpoint, client: client, path: path, access: access, tls: tls)
    }

    private static func refuseParameters(in setting: Setting, _ context: LoadContext) {
        switch setting.node.content {
        case .scalar(let text, _):
            guard let template = try? ParameterTemplate(text), !template.parameters.isEmpty else { return }
            context.problems.add(
                setting.place,
                "contains {host} or {header:…}, but a refresh token serves for one token only; write the value itself")
        case .sequence(let nodes):
            for (index, node) in nodes.enumerated() {
                refuseParameters(in: Setting(node: node, place: setting.place.item(index, at: node.position)), context)
            }
        case .mapping, .refused: break
        }
    }

    /// Requires a file, because Attaché must keep the refresh token that the server returns.
    private static func file(_ setting: Setting, _ context: LoadContext) -> String? {
        guard case .mapping = setting.node.content else {
            context.problems.add(
                setting.place, "must be { file: … }, because Attaché writes each new refresh token to that file")
            return nil
        }
        guard var keys = MappingReader<Key>(setting, context.problems, quoting: .never) else { return nil }
        let file = keys.require(.file, "write the path of the file that holds the refresh token")
        keys.finish(context: "of a refresh token")
        guard let file, case .file(let path)? = SecretSetting.file(file, context) else { return nil }
        warnIfFixed(path, file.place, context)
        return path
    }

    /// Warns of a folder without write access; not an error, because some servers never return another refresh token.
    private static func warnIfFixed(_ path: String, _ place: Place, _ context: LoadContext) {
        let message =
            "the file is in a folder that Attaché may not write to, so a new refresh token from the server "
            + "is lost when the process ends; put the file into a writable folder of its own that outlives the process"
        context.check(.refreshTokenNotWritten, place) { $0.mayReplace(path) ? nil : message }
    }
}
