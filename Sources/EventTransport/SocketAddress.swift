package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    package let ip: IPAddress
    package let port: UInt16
    package init(_ ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }
    package var description: String { fatalError("stub") }
}
