import HTTPWire
import ProxyCore
import TokenManager

/// Reads `tls` of a route, and `tls` of the file: the defaults of all routes.
///
/// A route's own value wins, key by key; `clientCertificate` and `clientKey` are one.
enum RouteTLSSection {
    enum Key: String, CaseIterable {
        case caFile
        case clientCertificate
        case clientKey
        case serverName
    }

    /// The word for the system's authorities, on a route that does not trust the `caFile` of all routes.
    static let system = "system"
    /// The word for no certificate, on a route that does not present the certificate of all routes.
    static let none = "none"

    /// A client certificate as it is written.
    private enum OwnCertificate {
        case absent
        case none
        case unusable
        case files(ClientCertificateFiles)
    }

    /// The defaults of all routes; nil after a problem with the whole.
    static func defaults(_ setting: Setting, _ context: LoadContext) -> UpstreamTLS? {
        guard var keys = MappingReader<Key>(setting, context.problems) else { return nil }
        let file = keys.take(.caFile)
        let certificate = certificate(&keys, context)
        if let name = keys.take(.serverName) {
            context.problems.add(name.place, "cannot be the same for all routes; write it in tls of a route")
        }
        keys.finish(context: "of tls")
        return UpstreamTLS(
            caFile: file.flatMap { authorities($0, context) }, clientCertificate: files(certificate, else: nil))
    }

    /// The TLS settings of a route with the defaults of all routes; nil after a problem with the whole.
    static func read(
        _ setting: Setting?, toward origin: Origin?, defaults: UpstreamTLS, _ context: LoadContext
    ) -> UpstreamTLS? {
        let defaults = origin?.scheme == .http ? UpstreamTLS() : defaults
        guard let setting else { return defaults }
        guard var keys = MappingReader<Key>(setting, context.problems) else { return nil }
        let file = keys.take(.caFile)
        let name = keys.take(.serverName)
        if let stray = keys.take(.clientCertificate) ?? keys.take(.clientKey), origin?.scheme == .http {
            context.problems.add(stray.place, "has no effect with an http:// upstream; use https:// or remove it")
            return nil
        }
        let certificate = certificate(&keys, context)
        keys.finish(context: "of a route's tls")
        return UpstreamTLS(
            caFile: file.map { authorities($0, context) } ?? defaults.caFile,
            serverName: name.flatMap { $0.parsed(context.problems, what: "a host name", HostText.parse(whole:)) },
            clientCertificate: files(certificate, else: defaults.clientCertificate))
    }

    /// The path of a `caFile`; nil for the system's authorities, and after a problem.
    private static func authorities(_ setting: Setting, _ context: LoadContext) -> String? {
        isWord(system, setting) ? nil : CAFileSetting.read(setting, context)
    }

    private static func certificate(_ keys: inout MappingReader<Key>, _ context: LoadContext) -> OwnCertificate {
        let certificate = keys.take(.clientCertificate)
        let key = keys.take(.clientKey)
        if let certificate, isWord(none, certificate) {
            if let key {
                context.problems.add(key.place, "has no effect with clientCertificate: none; remove one of the two")
            }
            return .none
        }
        guard let pair = PEMSetting.pair(certificate: certificate, key: key, context) else { return .absent }
        return pair.flatMap(ClientCertificateFiles.init).map { .files($0) } ?? .unusable
    }

    private static func files(
        _ certificate: OwnCertificate, else inherited: ClientCertificateFiles?
    ) -> ClientCertificateFiles? {
        switch certificate {
        case .absent: inherited
        case .none, .unusable: nil
        case .files(let files): files
        }
    }

    private static func isWord(_ word: String, _ setting: Setting) -> Bool {
        if case .scalar(word, _) = setting.node.content { true } else { false }
    }
}

extension ClientCertificateFiles {
    fileprivate init?(_ pair: ClientCertificate) {
        guard case .file(let certificate) = pair.certificate, case .file(let key) = pair.privateKey else { return nil }
        self.init(certificate: certificate, privateKey: key)
    }
}
