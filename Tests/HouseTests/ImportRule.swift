/// What one module may import.
///
/// The rows stand in the order of the house: a module may use only rows above its own.
struct ImportRule: Sendable {
    let module: String
    /// Modules of this package.
    let own: Set<String>
    /// The toolchain's and other packages' modules.
    let foreign: Set<String>

    /// `Synchronization` is the language's own and allowed everywhere.
    func allows(_ name: String) -> Bool { name == "Synchronization" || own.contains(name) || foreign.contains(name) }

    static let all: [ImportRule] = [
        ImportRule("Locking", own: [], foreign: ["Glibc"]),
        ImportRule(
            "EventTransport", own: ["CAres", "CBuild", "CLibevent", "COpenSSL", "Locking"], foreign: ["Glibc"]),
        ImportRule("Signing", own: ["COpenSSL", "Locking"], foreign: ["Glibc"]),
        ImportRule("HTTPWire", own: ["CByteScan"], foreign: []),
        ImportRule("TokenManager", own: ["Locking", "Signing", "HTTPWire"], foreign: ["FoundationEssentials"]),
        ImportRule(
            "TokenClient", own: ["EventTransport", "Signing", "HTTPWire", "TokenManager"], foreign: ["Glibc"]),
        ImportRule("ProxyCore", own: ["HTTPWire", "TokenManager"], foreign: []),
        ImportRule(
            "ProxyConfiguration", own: ["CYAML", "HTTPWire", "TokenManager", "ProxyCore"],
            foreign: ["FoundationEssentials", "Glibc"]),
        ImportRule(
            "ProxyServer",
            own: [
                "Locking", "EventTransport", "Signing", "HTTPWire", "TokenManager", "TokenClient", "ProxyCore",
                "ProxyConfiguration",
            ],
            foreign: ["FoundationEssentials", "Glibc", "Logging"]),
        ImportRule(
            "attache", own: ["ProxyServer", "ProxyConfiguration"],
            foreign: ["ArgumentParser", "FoundationEssentials", "Glibc", "Logging"]),
    ]

    private init(_ module: String, own: Set<String>, foreign: Set<String>) {
        self.module = module
        self.own = own
        self.foreign = foreign
    }
}
