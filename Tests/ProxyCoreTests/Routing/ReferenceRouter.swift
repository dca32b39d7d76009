import HTTPWire
import ProxyCore

/// The routing rules once more, as slow and plain text as they can be written, to compare the table with.
enum ReferenceRouter {
    struct Request {
        var scheme: String
        var host: String
        var port: UInt16?
        var path: String
        var method: String

        var target: String {
            let authority = host.contains(":") ? "[\(host)]" : host
            return "\(scheme)://\(authority)\(port.map { ":\($0)" } ?? "")\(path)"
        }
    }

    static func decide(_ routes: [Route], _ unmatched: UnmatchedPolicy, _ request: Request) -> RouteDecision {
        let host = request.host.lowercased()
        for (index, route) in routes.enumerated() where matches(route.match, request) {
            if case .origin(let origin) = route.upstream, origin.scheme == .http, !route.allowPlaintext,
                request.scheme.lowercased() == "https"
            {
                return .plaintextDenied(index)
            }
            if RouteTable.fixedOrigin(of: route) != nil { return .route(index) }
            let asked = request.port ?? 443
            return .requestedHost(index, Origin(scheme: .https, host: host, port: asked == 80 ? 443 : asked))
        }
        guard unmatched == .forward else { return .denied }
        let scheme: Scheme = request.scheme.lowercased() == "https" ? .https : .http
        return .unmatched(Origin(scheme: scheme, host: host, port: request.port ?? scheme.defaultPort))
    }

    private static func matches(_ match: RouteMatch, _ request: Request) -> Bool {
        let host = request.host.lowercased()
        switch match.host {
        case .exact(let wanted): if host != wanted { return false }
        case .suffix(let suffix): if !host.hasSuffix(suffix) || host == suffix { return false }
        case .nothing: return false
        }
        let meant: UInt16 = request.scheme.lowercased() == "https" ? 443 : 80
        switch match.port {
        case .any: break
        case .schemeDefault: if ![nil, 80, 443].contains(request.port) { return false }
        case .exactly(let wanted): if wanted != request.port ?? meant { return false }
        }
        guard match.methods.isEmpty || match.methods.contains(request.method) else { return false }
        guard let prefix = match.pathPrefix, prefix != "/" else { return true }
        return isBelow(prefix, request.path)
    }

    private static func isBelow(_ prefix: String, _ path: String) -> Bool {
        let path = path.prefix { $0 != "?" }
        let isPrefix = prefix.hasSuffix("/") ? path.hasPrefix(prefix) : (path + "/").hasPrefix(prefix + "/")
        guard isPrefix else { return false }
        // Encoded bytes are read first, then segments end at slashes of either kind.
        let text = decoded(String(path))
        let segments = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        return !segments.contains { segment in
            let name = segment.prefix { $0 != ";" && $0 != "?" && ($0.asciiValue ?? 0x7f) >= 0x21 }
            return !name.isEmpty && name.allSatisfy { $0 == "." }
        }
    }

    private static func decoded(_ path: String) -> String {
        var out = ""
        var rest = Substring(path)
        while let first = rest.first {
            if first == "%", rest.count >= 3, let byte = UInt8(rest.dropFirst().prefix(2), radix: 16),
                rest.dropFirst().prefix(2).allSatisfy(\.isHexDigit)
            {
                out.unicodeScalars.append(Unicode.Scalar(byte))
                rest = rest.dropFirst(3)
            } else {
                out.append(first)
                rest = rest.dropFirst()
            }
        }
        return out
    }
}
