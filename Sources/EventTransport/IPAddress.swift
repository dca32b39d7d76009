package struct IPAddress: Hashable, Sendable {
    package init?(literal: String) { fatalError("stub") }
    package var isLoopback: Bool { fatalError("stub") }
    package var isLinkLocal: Bool { fatalError("stub") }
    package var isUnspecified: Bool { fatalError("stub") }
    package var isIPv6: Bool { fatalError("stub") }
}
