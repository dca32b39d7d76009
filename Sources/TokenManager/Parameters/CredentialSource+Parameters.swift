import Signing

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
        case .appId, .ibmIam, .signedJwt, .githubApp, .metadata, .file, .fixed: []
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
        case .refreshToken, .appId, .ibmIam, .signedJwt, .githubApp, .metadata, .file, .fixed: return self
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

/// Distinguishes the tokens of one parameterised credential: the values in the order of its parameters.
///
/// A bearer token takes part as a digest, so that no table has a secret as a key.
package struct ParameterKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private var bytes: [UInt8] = []

    /// An empty key, to be filled.
    package init() {}

    /// The key of one request; nil if it lacks a value.
    package init?(_ request: RequestParameters, of parameters: [RequestParameter]) {
        for parameter in parameters {
            guard let value = request[parameter] else { return nil }
            append(Array(value.utf8).span, of: parameter)
        }
    }

    /// Removes the values and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds the next parameter's value; case does not matter in a host.
    package mutating func append(_ value: Span<UInt8>, of parameter: RequestParameter) {
        switch parameter {
        case .host:
            for index in value.indices {
                let byte = value[index]
                bytes.append(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
            }
            // No field's value and no host contains a zero.
            bytes.append(0)
        case .field:
            for index in value.indices { bytes.append(value[index]) }
            bytes.append(0)
        case .bearerToken:
            var token: [UInt8] = []
            for index in value.indices { token.append(value[index]) }
            bytes.append(contentsOf: SHA256(of: token).bytes)
        }
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
