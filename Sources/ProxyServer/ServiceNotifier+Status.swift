import EventTransport

/// What the service manager shows of this process.
extension ServiceNotifier {
    static func listening(on addresses: [ListenerAddress]) -> String {
        "STATUS=Listening on \(addresses.map(\.description).joined(separator: ", "))"
    }

    static let draining = "STATUS=Draining: running requests finish"
}
