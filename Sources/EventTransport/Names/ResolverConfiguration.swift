/// The content of a resolv.conf(5): which name servers are asked, how often and how long, and how short names are
/// completed.
///
/// Invalid lines and options are skipped. A name server may have a port (`127.0.0.1:5353`, `[::1]:5353`).
struct ResolverConfiguration: Equatable {
    /// The name servers in the order of the file; this host's own server if the file names none.
    private(set) var servers: [SocketAddress] = []
    private(set) var searchDomains: [String] = []
    /// A name with at least this many dots is looked up as it stands before it is completed.
    private(set) var ndots = 1
    /// The timeout of the first try; each further round of all servers has twice the timeout of the one before.
    ///
    /// Shorter than the 5 s of resolv.conf(5), because a connection attempt has only a few seconds as a whole.
    private(set) var timeout = Duration.seconds(1)
    private(set) var attempts = 3
    private(set) var rotates = false
    /// Whether the file named a server.
    private(set) var namesServer = false

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - text: The text; empty if the file is missing.
    ///   - hostName: This host's own name, whose domain completes names if the file names none.
    init(_ text: String, hostName: String) {
        var domains: [String]?
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = line.split { $0 == 0x20 || $0 == 0x09 }.map { String(Substring($0)) }
            guard let keyword = words.first, let value = words.dropFirst().first else { continue }
            switch keyword {
            case "nameserver":
                if let server = Self.server(value), !servers.contains(server) { servers.append(server) }
            case "domain": domains = [value]
            case "search": domains = Array(words.dropFirst())
            case "options": for option in words.dropFirst() { read(option) }
            default: continue
            }
        }
        namesServer = !servers.isEmpty
        if servers.isEmpty { servers = [SocketAddress(.loopbackV4, port: Self.port)] }
        let ownDomain = hostName.drop { $0 != "." }.dropFirst()
        searchDomains = (domains ?? [String(ownDomain)]).map(Self.withoutRoot).filter { !$0.isEmpty }
    }

    /// The names to look up for a name in lower case, one after the other until one has an address.
    ///
    /// A name that ends in a dot is complete.
    func candidates(for name: String) -> [String] {
        if name.hasSuffix(".") { return [Self.withoutRoot(name)] }
        let completed = searchDomains.map { "\(name).\($0)" }
        let dots = name.utf8.count { $0 == UInt8(ascii: ".") }
        return dots >= ndots ? [name] + completed : completed + [name]
    }

    private static let port: UInt16 = 53

    private static func withoutRoot(_ name: String) -> String {
        name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func server(_ text: String) -> SocketAddress? {
        if let ip = IPAddress(literal: text) { return SocketAddress(ip, port: port) }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits), port > 0 else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return IPAddress(literal: String(host)).map { SocketAddress($0, port: port) }
    }

    private mutating func read(_ option: String) {
        let parts = option.split(separator: ":", maxSplits: 1)
        let number = parts.count == 2 ? Int(parts[1]) : nil
        // The limits are glibc's.
        switch (parts.first, number) {
        case ("ndots", .some(let number)): ndots = min(max(0, number), 15)
        case ("timeout", .some(let number)): timeout = .seconds(min(max(1, number), 30))
        case ("attempts", .some(let number)): attempts = min(max(1, number), 5)
        case ("rotate", nil): rotates = true
        default: return
        }
    }
}
