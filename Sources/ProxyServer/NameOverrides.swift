import EventTransport
import ProxyConfiguration

extension AddressOverrides {
    /// The overrides of a configuration, whose addresses have been checked.
    init(_ names: [NameOverride]) {
        self.init()
        for name in names { add(name.host, port: name.port, name.addresses.compactMap(IPAddress.init(literal:))) }
    }
}
