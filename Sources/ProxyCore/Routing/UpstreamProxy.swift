import HTTPWire
package import TokenManager

/// A parent proxy: an HTTP proxy between Attaché and servers.
///
/// Holds a secret or its place, and no description shows it.
package struct UpstreamProxy: Equatable, Sendable {
    /// The user name and password that the proxy demands.
    package struct Credentials: Equatable, Sendable {
        /// Without a colon.
        package let username: String
        package let password: Secret

        package init(username: String, password: Secret) {
            self.username = username
            self.password = password
        }
    }

    /// A destination that is reached without the proxy.
    package struct Exception: Equatable, Sendable {
        package enum Hosts: Equatable, Sendable {
            case pattern(HostPattern)
            case network(Network)
        }

        package let hosts: Hosts
        /// Nil for every port.
        package let port: UInt16?

        package init(hosts: Hosts, port: UInt16? = nil) {
            self.hosts = hosts
            self.port = port
        }

        fileprivate func takes(_ host: String, _ port: UInt16) -> Bool {
            guard self.port == nil || self.port == port else { return false }
            return switch hosts {
            case .pattern(.exact(let name)): host == name
            case .pattern(.suffix(let suffix)): host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count
            case .pattern(.nothing): false
            case .network(let network): network.contains(host)
            }
        }
    }

    /// A name in lower case, or an IP address without brackets.
    package let host: String
    package let port: UInt16
    package let credentials: Credentials?
    package let noProxy: [Exception]
    /// Whether `http` backends are reached through a tunnel (CONNECT) too.
    package let tunnelsAll: Bool

    package init(
        host: String, port: UInt16, credentials: Credentials? = nil, noProxy: [Exception] = [], tunnelsAll: Bool = false
    ) {
        self.host = host
        self.port = port
        self.credentials = credentials
        self.noProxy = noProxy
        self.tunnelsAll = tunnelsAll
    }

    /// Whether the way to a host leads through the proxy; `host` is in lower case, without brackets.
    ///
    /// This machine and link-local addresses, at which metadata servers are, mean something else to another machine.
    package func leads(to host: String, port: UInt16) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return false }
        if Network.local.contains(where: { $0.contains(host) }) { return false }
        return !noProxy.contains { $0.takes(host, port) }
    }
}

/// The addresses that begin with the same bits, as in `10.0.0.0/8`.
package struct Network: Equatable, Sendable {
    /// 4 or 16 bytes.
    private let bytes: [UInt8]
    private let bitCount: Int

    /// Reads `10.0.0.0/8` or `2001:db8::/32`; nil if it is no such text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Self.bytes(of: String(parts[0])),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let bitCount = Int(parts[1]), bitCount <= bytes.count * 8
        else { return nil }
        (self.bytes, self.bitCount) = (bytes, bitCount)
    }

    private init(_ bytes: [UInt8], _ bitCount: Int) { (self.bytes, self.bitCount) = (bytes, bitCount) }

    /// This machine, and the link of this machine.
    fileprivate static let local = [
        Network([127, 0, 0, 0], 8), Network([169, 254, 0, 0], 16),
        Network(Array(repeating: 0, count: 15) + [1], 128), Network([0xfe, 0x80] + Array(repeating: 0, count: 14), 10),
    ]

    /// Whether a host is an address of the network; no name is resolved.
    ///
    /// An IPv4 address may be written as an IPv6 one (`::ffff:10.0.0.1`).
    package func contains(_ host: String) -> Bool {
        guard let address = Self.bytes(of: host), address.count == bytes.count else { return false }
        return (0..<bitCount).allSatisfy { bit in
            (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }

    private static func bytes(of text: String) -> [UInt8]? {
        switch try? Host(text) {
        case .v4(let address): return address.split(separator: ".").compactMap { UInt8($0) }
        case .v6(let address):
            // In the form of RFC 5952: at most one "::", no IPv4 address at the end.
            let gap = address.firstRange(of: "::")
            var groups = Self.groups(address[..<(gap?.lowerBound ?? address.endIndex)])
            let tail = gap.map { Self.groups(address[$0.upperBound...]) } ?? []
            while groups.count + tail.count < 8 { groups.append(0) }
            groups += tail
            var bytes: [UInt8] = []
            for group in groups { bytes += [UInt8(group >> 8), UInt8(group & 0xff)] }
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
            return isMapped ? Array(bytes[12...]) : bytes
        case .name, nil: return nil
        }
    }

    private static func groups(_ text: Substring) -> [UInt16] {
        text.split(separator: ":").compactMap { UInt16($0, radix: 16) }
    }
}
