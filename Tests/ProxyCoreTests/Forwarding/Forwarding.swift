import HTTPWire
import ProxyCore
import Testing

/// Forwards a request's head as an exchange does: to an origin, with or without a credential of the route.
struct Forwarding {
    static let token = "Bearer route-token"

    var origin = Origin(scheme: .https, host: "backend.example", port: 443)
    /// The field of the route's credential; nil attaches none.
    var credential: String? = "Authorization"
    var keepsAuthorization = false

    /// What goes to the backend, and whether the app's own credential is in it.
    func forward(_ request: String) throws -> (text: String, carriesOwnCredential: Bool) {
        try withUpstreamHead(request) { head in
            var out = OutputBuffer()
            if !head.carriesOwnCredential, let credential {
                head.append(with: AuthorizationLine(name: credential, value: Self.token), to: &out)
            } else {
                head.appendWithoutCredential(to: &out)
            }
            return (out.text, head.carriesOwnCredential)
        }
    }

    /// Whether what would go to the backend says in more than one line who asks.
    func isAmbiguous(_ fields: String...) throws -> Bool {
        let request = head(["GET http://backend.example/ HTTP/1.1", "Host: app.example"] + fields)
        return try withUpstreamHead(request) { $0.isAmbiguous }
    }

    /// Whether what would go to the backend authenticates the connection.
    func authenticatesConnection(_ field: String) throws -> Bool {
        try withUpstreamHead(head(["GET http://backend.example/ HTTP/1.1", "Host: app.example", field])) {
            $0.authenticatesConnection
        }
    }

    private func withUpstreamHead<Result>(
        _ request: String, _ use: (borrowing UpstreamRequestHead) -> Result
    ) throws -> Result {
        let bytes = latin1(request)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.byteCount == bytes.count)
        let rules = UpstreamRequestHead.Rules(
            host: HostLine(origin), credentialName: credential.map { Array($0.lowercased().utf8) },
            keepsAuthorization: keepsAuthorization)
        // What the buffer held before must not leave.
        var buffer = OutputBuffer()
        buffer.append(text: "left over from the request before")
        return use(UpstreamRequestHead(head, in: bytes.span, rules: rules, into: buffer))
    }

    /// The field lines that go to the backend, without request line and `Host`.
    func lines(_ request: String) throws -> [String] {
        let text = try forward(request).text
        #expect(text.hasSuffix("\r\n\r\n"))
        // A CR LF is one Character, so the split is exact.
        let lines = text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false).map(String.init)
        #expect(lines.suffix(2) == ["", ""], "the head does not end with one empty line")
        #expect(lines[1].hasPrefix("Host: "))
        return Array(lines.dropFirst(2).dropLast(2))
    }
}

/// The two lines with which every forwarded head of HTTP/1.1 without a body ends.
let viaLine = "Via: 1.1 attache"
let credentialLine = "Authorization: \(Forwarding.token)"
