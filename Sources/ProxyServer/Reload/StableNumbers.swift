import ProxyConfiguration
import ProxyCore
import TokenManager

/// The numbers by which counters, logs and tables know routes and credentials, whichever configuration is in use.
///
/// A route keeps its number as long as it keeps its name. A credential whose settings change gets another number, so
/// that its token never goes where only the old settings lead.
///
/// No number is used again: open exchanges, log lines and counters of the old route or credential may still come. A new
/// name takes some 300 bytes in each worker until a restart, so a thousand of them take 300 KB.
struct StableNumbers: Sendable {
    /// The names of all routes so far, by number.
    private(set) var routeNames: [String]
    /// The numbers of the routes, in the order of the configuration.
    private(set) var routes: [Int]
    /// The names of all credentials so far, by number; several numbers may have one name.
    private(set) var credentialNames: [String]
    /// The numbers of the credentials, in the order of the configuration.
    private(set) var credentials: [Int]

    init(routes: [Route], credentials: [CredentialConfiguration]) {
        routeNames = routes.map(\.name)
        self.routes = Array(routes.indices)
        credentialNames = credentials.map(\.name)
        self.credentials = Array(credentials.indices)
    }

    init(_ configuration: Configuration) {
        self.init(routes: configuration.routes, credentials: configuration.credentials)
    }

    /// The numbers of the credentials in use, by name.
    var currentCredentials: [String: Int] {
        Dictionary(credentials.map { (credentialNames[$0], $0) }) { first, _ in first }
    }

    /// The numbers of another configuration, which takes the place of `old`.
    func following(_ old: Configuration, with new: Configuration) -> StableNumbers {
        var numbers = self
        let known = Dictionary(routeNames.enumerated().map { ($1, $0) }) { first, _ in first }
        numbers.routes = new.routes.map { route in
            if let number = known[route.name] { return number }
            numbers.routeNames.append(route.name)
            return numbers.routeNames.count - 1
        }
        numbers.credentials = new.credentials.map { credential in
            for (number, other) in zip(credentials, old.credentials) where other.isTheSame(as: credential) {
                return number
            }
            numbers.credentialNames.append(credential.name)
            return numbers.credentialNames.count - 1
        }
        return numbers
    }
}

extension CredentialConfiguration {
    /// Whether both have one token: readiness alone may differ.
    func isTheSame(as other: CredentialConfiguration) -> Bool {
        var same = other
        same.isRequired = isRequired
        return self == same
    }
}
