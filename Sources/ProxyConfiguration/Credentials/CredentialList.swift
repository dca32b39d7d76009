import TokenManager

/// Reads `credentials`: a mapping of names to credentials.
enum CredentialList {
    static func read(_ setting: Setting, into draft: inout Draft, _ context: LoadContext) {
        switch setting.node.content {
        case .mapping(let entries):
            for entry in entries { read(entry, in: setting.place, into: &draft, context) }
        case .scalar, .sequence:
            context.problems.add(
                setting.place,
                "is not a mapping; write a name and below it the credential, as in cloudant: { type: … }")
        case .refused: break
        }
    }

    private static func read(_ entry: YAMLEntry, in list: Place, into draft: inout Draft, _ context: LoadContext) {
        let isQuotable = KeyText.isWord(entry.key)
        let place = list.key(isQuotable ? entry.key : "?", at: entry.keyPosition)
        guard isQuotable, entry.key != "none" else {
            context.problems.add(
                place, "is not a name for a credential; write a word of letters and digits but not none")
            return
        }
        guard !draft.credentialNames.contains(entry.key) else {
            context.problems.add(place, "is given twice; keep one")
            return
        }
        draft.credentialNames.append(entry.key)
        draft.credentialPlaces[entry.key] = place
        let valuePlace = Place(file: place.file, position: entry.value.position, path: place.path)
        let setting = Setting(node: entry.value, place: valuePlace)
        guard let credential = CredentialSection.read(setting, name: entry.key, context) else { return }
        if let file = refreshTokenFile(of: credential, context),
            let other = draft.credentials.first(where: { refreshTokenFile(of: $0, context) == file })
        {
            // Each of them would replace the other's refresh token, and fetch again when the other has written its own.
            context.problems.add(
                valuePlace.key(CredentialKey.refreshToken.rawValue, at: entry.value.position),
                "is in the file of credential \(other.name) too; give each credential a refresh token of its own")
        }
        draft.credentials.append(credential)
    }

    /// The file of a refresh token, whatever path names it.
    private static func refreshTokenFile(
        of credential: CredentialConfiguration, _ context: LoadContext
    ) -> String? {
        guard case .refreshToken(let client) = credential.source else { return nil }
        return context.files.identity(of: client.path)
    }
}
