import HTTPWire
import ProxyCore
import TokenManager

/// Reads a parent proxy: its URL, or a mapping with its credentials and exceptions, or `none`.
enum UpstreamProxySection {
    enum Key: String, CaseIterable {
        case url
        case username
        case password
        case noProxy
        case tunnel
        case allowPlaintext
    }

    /// The word for no parent proxy, on a route that does not use the proxy of all routes.
    static let none = "none"

    /// Nil for `none`, and after a problem.
    static func read(_ setting: Setting, _ context: LoadContext) -> UpstreamProxy? {
        let problems = context.problems
        if case .scalar(let text, _) = setting.node.content, !setting.node.isNull {
            guard text != none else { return nil }
            return setting.parsed(problems, what: "a URL", Self.place).map {
                UpstreamProxy(host: $0.host, port: $0.port)
            }
        }
        guard var keys = MappingReader<Key>(setting, problems, quoting: .withValue) else { return nil }
        let url = keys.require(.url, "write the proxy's URL, as in http://proxy.example:3128")
        let place = url.flatMap { $0.parsed(problems, what: "a URL", Self.place) }
        let credentials = credentials(&keys, toward: place, context)
        let noProxy = keys.take(.noProxy).map { exceptions($0, problems) } ?? []
        let tunnelsAll = keys.take(.tunnel)?.boolean(problems) ?? false
        keys.finish(context: "of a parent proxy")
        guard let place else { return nil }
        return UpstreamProxy(
            host: place.host, port: place.port, credentials: credentials, noProxy: noProxy, tunnelsAll: tunnelsAll)
    }

    private static func place(_ text: String) throws(ValueError) -> (host: String, port: UInt16) {
        guard !text.contains("@") else {
            throw ValueError("contains a user name or password; write them as username and password beside url")
        }
        if text.hasPrefix("https://") {
            throw ValueError("asks for TLS with the proxy, which is not supported; write the http:// URL of the proxy")
        }
        guard text.hasPrefix("http://") else {
            throw ValueError("is not the URL of an HTTP proxy; write it as in http://proxy.example:3128")
        }
        let url = try URLText.backend(text)
        guard let port = url.port else { throw ValueError("has no port; write it as in http://proxy.example:3128") }
        return (url.host, port)
    }

    private static func credentials(
        _ keys: inout MappingReader<Key>, toward place: (host: String, port: UInt16)?, _ context: LoadContext
    ) -> UpstreamProxy.Credentials? {
        let username = keys.take(.username)
        let password = keys.take(.password)
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        switch (username, password) {
        case (nil, nil): return nil
        case (let username?, let password?):
            let name = TokenServerSettings.clientID(username, isSentRaw: true, context)
            let secret = SecretSetting.read(password, context)
            let isLocal = place.map { (try? Host($0.host))?.isLoopback ?? false } ?? true
            guard isLocal || allowsPlaintext else {
                context.problems.add(
                    password.place,
                    "would be sent to the proxy in plain text over the network; set allowPlaintext: true "
                        + "beside it if that network is yours")
                return nil
            }
            guard let name, let secret else { return nil }
            return UpstreamProxy.Credentials(username: name, password: secret)
        case (let stray?, nil), (nil, let stray?):
            context.problems.add(stray.place, "needs \(username == nil ? "username" : "password") too; write both")
            return nil
        }
    }

    private static func exceptions(_ setting: Setting, _ problems: ProblemList) -> [UpstreamProxy.Exception] {
        (setting.items(problems) ?? []).compactMap { $0.parsed(problems, what: "a host", exception) }
    }

    /// Reads `host` and `*.example`, both also with a port, and `10.0.0.0/8`.
    private static func exception(_ text: String) throws(ValueError) -> UpstreamProxy.Exception {
        if text.contains("/") {
            guard let network = try? Network(text) else {
                throw ValueError("is not a network; write it as in 10.0.0.0/8, or a host without scheme and path")
            }
            return UpstreamProxy.Exception(hosts: .network(network))
        }
        if text.hasPrefix(".") { throw ValueError("begins with a dot; write *\(text) for all hosts below it") }
        guard text != "*" else { throw ValueError("would take every host; write none in place of the proxy") }
        var host = text[...]
        var port: UInt16?
        // An IPv6 address without brackets has several colons, and no port.
        if text.hasPrefix("[") || text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1,
            let colon = text.lastIndex(of: ":"), text.last != "]"
        {
            guard let number = PortSyntax.number(text[text.index(after: colon)...]) else {
                throw ValueError("has a port that is not a number from 1 to 65535")
            }
            (host, port) = (text[..<colon], number)
        }
        return UpstreamProxy.Exception(hosts: .pattern(try MatchSection.hostPattern(String(host))), port: port)
    }
}
