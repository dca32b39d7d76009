/// Port numbers: decimal digits only.
enum PortText {
    static func parse(_ text: some StringProtocol, zeroAllowed: Bool = false) -> UInt16? {
        guard (1...5).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(text),
            port > 0 || zeroAllowed
        else { return nil }
        return port
    }
}
