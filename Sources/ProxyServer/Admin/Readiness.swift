import TokenManager

/// Whether load balancers may send requests, as on `/readyz` and on the status page.
enum Readiness: String {
    case ready
    case notReady = "not ready"
    case draining

    init(isDraining: Bool, _ credentials: [CredentialStatus]) {
        if isDraining {
            self = .draining
        } else {
            self = credentials.allSatisfy { $0.isReady || !$0.isRequired } ? .ready : .notReady
        }
    }
}
