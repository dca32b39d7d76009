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

/// The names of a hosts file (hosts(5)), read when they are first needed and again when the file has changed.
///
/// Confined to the loop's thread. A missing file has no names; invalid lines are skipped.
struct HostsFile {
    private var file: ChangingFile
    private var names: [String: [IPAddress]] = [:]

    init(path: String) { file = ChangingFile(path: path) }

    /// The addresses of a lower-case name, in the order of the file; empty if the file lacks it.
    mutating func addresses(of name: String) -> [IPAddress] {
        if let text = file.newText() { names = Self.parse(text) }
        return names[name] ?? []
    }

    static func parse(_ text: String) -> [String: [IPAddress]] {
        var names: [String: [IPAddress]] = [:]
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 }
            guard let first = words.first, let address = IPAddress(literal: String(Substring(first))) else { continue }
            for word in words.dropFirst() {
                let name = Substring(word).lowercased()
                if names[name]?.contains(address) != true { names[name, default: []].append(address) }
            }
        }
        return names
    }
}

/// Decides which of several name servers is asked first.
///
/// Normally the first of the file, as in resolv.conf(5). A server that timed out is not asked first for a while, so
/// that not every look-up waits for it.
struct ServerOrder {
    /// For how long another server is asked first.
    private static let preference = Duration.seconds(30)

    /// The index of the server to ask first.
    private(set) var first = 0
    private var until: MonotonicInstant?

    /// The servers in the order in which to ask them.
    mutating func next(_ servers: [SocketAddress], rotates: Bool, now: MonotonicInstant) -> [SocketAddress] {
        if rotates {
            first += 1
        } else if let until, until <= now {
            self = ServerOrder()
        }
        first %= servers.count
        return Array(servers[first...] + servers[..<first])
    }

    /// A question was answered after `count` tries, each of another server, that timed out.
    ///
    /// - Parameters:
    ///   - count: The number of tries that timed out.
    ///   - start: The value of `first` when the question was sent; several questions run at once.
    ///   - now: The time of the answer.
    mutating func answered(afterTimeouts count: Int, from start: Int, now: MonotonicInstant) {
        guard count > 0 else { return }
        first = start + count
        until = now + Self.preference
    }
}
