/// The addresses that the configuration gives names, which are then resolved in no other way.
package struct AddressOverrides: Sendable {
    private struct Key: Hashable {
        /// In lower case, without a final dot.
        let name: String
        let port: UInt16?

        init(_ name: String, _ port: UInt16?) {
            let lower = name.lowercased()
            self.name = lower.hasSuffix(".") ? String(lower.dropLast()) : lower
            self.port = port
        }
    }

    private var addresses: [Key: [IPAddress]] = [:]

    package init() {}

    /// Gives a name its addresses, for one port or, with nil, for all ports without their own.
    package mutating func add(_ name: String, port: UInt16?, _ found: [IPAddress]) {
        addresses[Key(name, port)] = found
    }

    /// The addresses of a name for a port; nil if it must be resolved.
    func addresses(of name: String, port: UInt16) -> [IPAddress]? {
        guard !addresses.isEmpty else { return nil }
        return addresses[Key(name, port)] ?? addresses[Key(name, nil)]
    }
}
