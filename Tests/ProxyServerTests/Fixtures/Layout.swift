/// What a scene's configuration holds beside its defaults.
///
/// The pieces are YAML. In them `{backend}` stands for the host and port of the scene's backend, `{token}` for the URL of its
/// token endpoint, `{tokens}` for the same with the name `tokens.test`, `{directory}` for a temporary directory.
struct Layout: Sendable {
    /// The items of `listeners`; a scene's client connects to the first one.
    var listeners = ["{ address: 127.0.0.1:0 }"]
    /// More keys of the only route, each on a line of its own, such as "authorization: keep".
    var route: [String] = []
    var match = "{ host: 127.0.0.1, port: {port} }"
    var upstream = "http://{backend}"
    /// Where the credential gets its tokens.
    var tokenURL = "{token}"
    /// More keys of the only credential.
    var credential: [String] = []
    /// Members of `limits`, such as "headTimeout: 100ms".
    var limits: [String] = []
    /// Whole routes that come before the default one.
    var routesBefore: [String] = []
    var credentialsBefore: [String] = []
    /// More keys of the top level.
    var top: [String] = []
    /// The names of the admin listener.
    var adminHosts: [String] = []
    var accessLog = "{directory}/access.log"
    /// The names of the access log's fields; the standard ones if empty.
    var logFields: [String] = []
    var drainDelay = "0s"
    var waitForIdle = "0s"
    var gracePeriod = "1s"

    func yaml(backendPort: UInt16, tokenURL: String, directory: String) -> String {
        let fields = logFields.isEmpty ? "" : ", fields: [\(logFields.joined(separator: ", "))]"
        var lines = ["listeners:"] + listeners.map { "  - " + $0 } + ["credentials:"]
        lines += credentialsBefore.map { "  " + $0 }
        lines += [
            "  main:", "    type: clientCredentials", "    tokenUrl: \"\(self.tokenURL)\"", "    clientId: my-app",
        ]
        lines += ["    clientSecret: canary-secret-0451"]
        lines += credential.map { "    " + $0 }
        lines += ["routes:"]
        lines += routesBefore.map { "  - " + $0 }
        lines += ["  - name: main", "    upstream: \(upstream)"]
        if !match.isEmpty { lines.append("    match: \(match)") }
        if !route.contains(where: { $0.hasPrefix("credential:") }) { lines.append("    credential: main") }
        lines += route.map { "    " + $0 }
        if !limits.isEmpty { lines.append("limits: { \(limits.joined(separator: ", ")) }") }
        let hosts = adminHosts.isEmpty ? "" : ", hosts: [\(adminHosts.joined(separator: ", "))]"
        lines += ["admin: { address: 127.0.0.1:0\(hosts) }", "accessLog: { path: \"\(accessLog)\"\(fields) }"]
        lines += [
            "shutdown: { drainDelay: \(drainDelay), waitForIdle: \(waitForIdle), gracePeriod: \(gracePeriod) }"
        ]
        lines += top
        let text = lines.joined(separator: "\n") + "\n"
        return
            text
            .replacing("{backend}", with: "127.0.0.1:\(backendPort)").replacing("{port}", with: "\(backendPort)")
            .replacing("{token}", with: tokenURL)
            .replacing("{tokens}", with: tokenURL.replacing("127.0.0.1", with: "tokens.test"))
            .replacing("{directory}", with: directory)
    }
}
