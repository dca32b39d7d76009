/// A question as it came to a name server.
package struct DNSQuestion: Sendable {
    /// In lower case.
    package let name: String
    package let id: UInt16
    /// The port that it left from; 0 for TCP.
    package let port: UInt16
    package let isTCP: Bool
    /// How large an answer may be, by EDNS; nil without.
    package let size: Int?
    private let kind: UInt8
    private let bytes: [UInt8]

    /// The name and the kind, such as "a.test AAAA".
    package var text: String { "\(name) \(kind == 28 ? "AAAA" : "A")" }

    init?(_ query: [UInt8], port: UInt16, isTCP: Bool) {
        guard query.count > 16 else { return nil }
        var labels: [String] = []
        var offset = 12
        while offset < query.count, query[offset] != 0 {
            let end = offset + 1 + Int(query[offset])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[offset + 1..<end], as: UTF8.self))
            offset = end
        }
        guard offset + 5 <= query.count else { return nil }
        name = labels.joined(separator: ".").lowercased()
        id = UInt16(query[0]) << 8 | UInt16(query[1])
        kind = query[offset + 2]
        bytes = Array(query[12..<offset + 5])
        // The OPT record is the only one that may follow: no name, type 41, then the size (RFC 6891 section 6.1.2).
        let rest = query[(offset + 5)...]
        let isExtended = rest.count >= 5 && Array(rest.prefix(3)) == [0, 0, 41]
        size = isExtended ? rest.dropFirst(3).prefix(2).reduce(0) { $0 << 8 | Int($1) } : nil
        self.port = port
        self.isTCP = isTCP
    }

    /// The server's answer, nil for none.
    func answer(_ entry: FakeNameServer.Entry?, knowsEDNS: Bool) -> [UInt8]? {
        if size != nil, !knowsEDNS { return head(code: 1) + bytes }
        guard let entry else { return head(code: 3) + bytes }
        guard let addresses = kind == 28 ? entry.v6 : entry.v4 else { return nil }
        guard entry.code == 0 else { return head(code: entry.code) + bytes }
        var answer = head(count: addresses.count) + bytes
        for address in addresses {
            answer += [0xc0, 12, 0, kind, 0, 1]
            answer += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: entry.ttl >> $0) }
            answer += [0, UInt8(address.count)] + address
        }
        return isTCP || answer.count <= size ?? 512 ? answer : head(isTruncated: true) + bytes
    }

    private func head(code: UInt8 = 0, count: Int = 0, isTruncated: Bool = false) -> [UInt8] {
        [
            UInt8(id >> 8), UInt8(id & 0xff), isTruncated ? 0x83 : 0x81, 0x80 | code, 0, 1, UInt8(count >> 8),
            UInt8(count & 0xff), 0, 0, 0, 0,
        ]
    }
}
