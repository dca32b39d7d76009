extension CredentialConfiguration {
    /// The parts of a request that the credential's token depends on; empty for an ordinary credential, which has one
    /// token.
    public var parameters: [RequestParameter] {
        var parameters: [RequestParameter] = source.takesSubjectFromRequest ? [.bearerToken] : []
        for (text, _) in source.templates {
            for parameter in (try? ParameterTemplate(text))?.parameters ?? [] where !parameters.contains(parameter) {
                parameters.append(parameter)
            }
        }
        return parameters
    }
}

extension CredentialSource {
    /// Whether the token is fetched on behalf of the request's sender.
    package var takesSubjectFromRequest: Bool {
        if case .tokenExchange(let exchange) = self { exchange.subject.value == nil } else { false }
    }

    /// The settings that may hold placeholders, and where each of them is used.
    var templates: [(text: String, place: ParameterPlace)] {
        switch self {
        case .mobileClientAccess(let client): [(client.appID, .path)]
        case .clientCredentials(let client): client.access.templates
        case .jwtBearer(let client): client.access.templates
        case .tokenExchange(let client): client.access.templates
        case .refreshToken(let client): client.access.templates
        case .appId, .ibmIam, .file, .fixed: []
        }
    }

    /// Whether a request names a part of the token endpoint's path.
    var hasParameterInPath: Bool {
        templates.contains { text, place in
            place == .path && !((try? ParameterTemplate(text))?.parameters ?? []).isEmpty
        }
    }

    /// Why the placeholders are unusable; nil if they are usable.
    var parameterProblem: String? {
        for (text, _) in templates {
            do throws(ParameterTemplate.Invalid) {
                let template = try ParameterTemplate(text)
                if case .refreshToken = self, !template.parameters.isEmpty {
                    return "a refresh token is good for one token, so nothing of it can depend on the request"
                }
            } catch {
                return "a setting \(error.problem)"
            }
        }
        return nil
    }

    /// The source with the values of one request filled in.
    func filled(_ request: RequestParameters) throws(UnusableParameter) -> CredentialSource {
        switch self {
        case .mobileClientAccess(var client):
            client.appID = try Self.filled(client.appID, request, .path)
            return .mobileClientAccess(client)
        case .clientCredentials(var client):
            client.access = try client.access.filled(request)
            return .clientCredentials(client)
        case .jwtBearer(var client):
            client.access = try client.access.filled(request)
            return .jwtBearer(client)
        case .tokenExchange(var client):
            client.access = try client.access.filled(request)
            return .tokenExchange(client)
        case .refreshToken, .appId, .ibmIam, .file, .fixed: return self
        }
    }

    fileprivate static func filled(
        _ text: String, _ request: RequestParameters, _ place: ParameterPlace
    ) throws(UnusableParameter) -> String {
        guard let template = try? ParameterTemplate(text) else { return text }
        return try template.filled(request, for: place)
    }
}

extension RequestedAccess {
    fileprivate var templates: [(text: String, place: ParameterPlace)] {
        let single = [scope.map { ($0, ParameterPlace.scope) }, audience.map { ($0, ParameterPlace.uri) }]
        return single.compactMap { $0 } + resource.map { ($0, .uri) }
    }

    fileprivate func filled(_ request: RequestParameters) throws(UnusableParameter) -> RequestedAccess {
        var access = self
        if let scope { access.scope = try CredentialSource.filled(scope, request, .scope) }
        if let audience { access.audience = try CredentialSource.filled(audience, request, .uri) }
        for (index, text) in resource.enumerated() {
            access.resource[index] = try CredentialSource.filled(text, request, .uri)
        }
        return access
    }
}
