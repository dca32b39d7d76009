import TokenManager

/// Reads the access that a token is requested for: `scope`, `audience`, `resource` and `parameters`.
enum AccessSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> RequestedAccess {
        RequestedAccess(
            scope: keys.take(.scope).flatMap { scope($0, context) },
            audience: keys.take(.audience)
                .flatMap { TokenServerSettings.parameterisable($0, what: "the token's audience", context) },
            resource: keys.take(.resource).map { resources($0, context) } ?? [],
            parameters: keys.take(.parameters).map {
                TokenParameterSection.read($0, reserved: RequestedAccess.reservedParameterNames, context)
            } ?? [])
    }

    /// RFC 6749 section 3.3: words of visible characters, without `"` and `\`, with one space between two.
    static func scope(_ setting: Setting, _ context: LoadContext) -> String? {
        guard let text = TokenServerSettings.parameterisable(setting, what: "scopes separated by spaces", context)
        else { return nil }
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let isScope = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard isScope else {
            setting.refuse(
                context.problems, "is not a scope; write words of plain ASCII with one space between, as in read write")
            return nil
        }
        return text
    }

    private static func resources(_ setting: Setting, _ context: LoadContext) -> [String] {
        let what = "the resource that the token is for"
        guard case .sequence = setting.node.content else {
            return resource(setting, what: what, context).map { [$0] } ?? []
        }
        let items = setting.items(context.problems) ?? []
        if items.isEmpty { context.problems.add(setting.place, "is empty; write \(what) or leave the key out") }
        return items.compactMap { resource($0, what: what, context) }
    }

    private static func resource(_ setting: Setting, what: String, _ context: LoadContext) -> String? {
        guard let text = TokenServerSettings.parameterisable(setting, what: what, context) else { return nil }
        guard !hasOpenOrigin(text) else {
            setting.refuse(
                context.problems,
                "lets a field of the request choose scheme or host; write them out, as in "
                    + "https://api.example/{header:X-Tenant}")
            return nil
        }
        guard !PercentEncoding.isBroken(text) else {
            context.problems.add(
                setting.place,
                "contains a % without two hexadecimal digits after it; write %25 for the character itself"
            )
            return nil
        }
        let template = try? ParameterTemplate(text)
        // The values from requests are not known here.
        guard template?.parameters.isEmpty == false || AbsoluteURI.matches(text) else {
            setting.refuse(
                context.problems,
                "is not a URI with a scheme and without a fragment (RFC 8707); write one as in https://api.example")
            return nil
        }
        return text
    }

    /// Whether a header of the request chooses the scheme or host of a URI; `{host}` is limited by the route.
    private static func hasOpenOrigin(_ uri: String) -> Bool {
        guard let field = uri.firstRange(of: "{header:") else { return false }
        let before = uri[..<field.lowerBound]
        guard let scheme = before.firstRange(of: "://") else {
            return ["http://", "https://"].contains { $0.hasPrefix(before.lowercased()) }
        }
        return !before[scheme.upperBound...].utf8.contains { "/?#".utf8.contains($0) }
    }
}

/// Reads `parameters`, more fields of the token request, and `claims`, more claims of an assertion.
///
/// A value may be a password, so none is quoted.
enum TokenParameterSection {
    static func read(_ setting: Setting, reserved: Set<String>, _ context: LoadContext) -> [TokenParameter] {
        let entries: [YAMLEntry]
        switch setting.node.content {
        case .mapping(let found): entries = found
        case .scalar, .sequence:
            let problem = setting.node.isNull ? "has no value" : "is not a mapping"
            context.problems.add(setting.place, "\(problem); write names and values, as in tenant: north")
            return []
        case .refused: return []
        }
        var parameters: [TokenParameter] = []
        for entry in entries {
            // Without the name: in a flow mapping without a colon, a value becomes a name.
            let place = setting.place.key("?", at: entry.keyPosition)
            if reserved.contains(entry.key) {
                context.problems.add(place, "\(entry.key) has a key of its own; remove it here")
            } else if entry.key.isEmpty || entry.key.utf8.contains(where: { $0 < 0x21 || $0 == 0x7f }) {
                context.problems.add(place, "is not a parameter's name; write a word")
            } else if parameters.contains(where: { $0.name == entry.key }) {
                context.problems.add(place, "is given twice; keep one")
            } else if let value = value(entry, place, context) {
                parameters.append(TokenParameter(name: entry.key, value: value))
            }
        }
        return parameters
    }

    private static func value(_ entry: YAMLEntry, _ place: Place, _ context: LoadContext) -> String? {
        let place = Place(file: place.file, position: entry.value.position, path: place.path)
        let setting = Setting(node: entry.value, place: place)
        return TokenServerSettings.constant(setting, what: "a text", isSecret: true, context)
    }
}
