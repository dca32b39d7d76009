import EventTransport
import HTTPWire
package import ProxyConfiguration
import ProxyCore
import TokenManager

/// The check whether the system has the certificate authorities that a configuration relies on.
package enum SystemAuthorities {
    /// The warning of `check` if the system's authorities are missing and a server needs them.
    package static func warnings(for configuration: Configuration) -> [Problem] {
        warnings(for: configuration, problem: CertificateAuthorities.systemProblem())
    }

    static func warnings(for configuration: Configuration, problem: String?) -> [Problem] {
        guard let problem, needsThem(configuration) else { return [] }
        return [Problem(message: problem, code: .certificateAuthoritiesMissing)]
    }

    /// Whether a backend, token server or collector has no `caFile` of its own.
    private static func needsThem(_ configuration: Configuration) -> Bool {
        if let tracing = configuration.tracing, tracing.endpoint.scheme == .https, tracing.caFile == nil { return true }
        return configuration.routes.contains(where: needsThem)
            || configuration.withUsedCredentials.credentials.contains { needsThem($0.source) }
    }

    private static func needsThem(_ route: Route) -> Bool {
        guard route.tls.caFile == nil else { return false }
        return switch route.upstream {
        case .origin(let origin): origin.scheme == .https
        case .requestedHostOverTLS: true
        }
    }

    private static func needsThem(_ source: CredentialSource) -> Bool {
        guard source.tokenServer?.hasPrefix("https://") == true else { return false }
        return tls(of: source)?.caFile == nil
    }

    private static func tls(of source: CredentialSource) -> TLSSettings? {
        switch source {
        case .mobileClientAccess(let client): client.tls
        case .appId(let client): client.tls
        case .ibmIam(let client): client.tls
        case .clientCredentials(let client): client.tls
        case .jwtBearer(let client): client.tls
        case .tokenExchange(let client): client.tls
        case .refreshToken(let client): client.tls
        case .githubApp(let app): app.tls
        case .signedJwt, .metadata, .file, .fixed: nil
        }
    }
}
