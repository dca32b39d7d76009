import CAres
import CLibevent
import Glibc

/// The two kinds of address that a name may have, numbered as DNS numbers its records.
enum AddressKind: Int32 {
    case v4 = 1
    case v6 = 28
}

/// The result of one question to the name servers.
enum NameServerReply: Equatable {
    /// At least one address, and how many seconds the server allows it to be kept.
    case addresses([IPAddress], ttl: Int)
    /// The name exists, but has no address of this kind.
    case noAddress
    case noSuchName
    /// The name cannot be used in a question.
    case badName
    /// The server does not understand the question; an old server answers so to EDNS.
    case formatError
    /// No server answered.
    case timedOut
    /// Every server failed, refused or could not be reached, or its answer is invalid.
    case unusable

    /// The number of addresses that are kept: more would only lengthen the wait for an error.
    private static let addressLimit = 64

    /// Whether a server said what addresses of this kind the name has, or that it has none.
    var isAnswer: Bool {
        switch self {
        case .addresses, .noAddress, .noSuchName, .badName: true
        case .formatError, .timedOut, .unusable: false
        }
    }

    /// Reads what c-ares reports for a question.
    ///
    /// - Parameters:
    ///   - status: An `ARES_` number.
    ///   - answer: The whole message of the server; empty unless the status is `ARES_SUCCESS`.
    ///   - kind: The kind of address in the question.
    init(_ status: Int32, _ answer: UnsafeBufferPointer<UInt8>, _ kind: AddressKind) {
        // The response code is the low half of the fourth byte of the header (RFC 1035 section 4.1.1).
        guard status == ARES_SUCCESS, answer.count >= 12 else {
            self = status == ARES_ETIMEOUT ? .timedOut : .unusable
            return
        }
        // SAFETY: the header's length has been checked.
        switch unsafe answer[3] & 0x0f {
        case 0: unsafe self = kind == .v4 ? Self.readV4(answer) : Self.readV6(answer)
        case 1: self = .formatError
        case 3: self = .noSuchName
        default: self = .unusable
        }
    }

    private static func readV4(_ answer: UnsafeBufferPointer<UInt8>) -> NameServerReply {
        var records = [ares_addrttl](repeating: ares_addrttl(), count: addressLimit)
        var count = Int32(addressLimit)
        // SAFETY: the answer and the records are lent for the call, with their counts.
        let status = unsafe ares_parse_a_reply(answer.baseAddress, Int32(answer.count), nil, &records, &count)
        let found = records.prefix(Int(count))
        return reply(status, found.map { IPAddress(attache_address_from_in($0.ipaddr)) }, found.map(\.ttl))
    }

    private static func readV6(_ answer: UnsafeBufferPointer<UInt8>) -> NameServerReply {
        var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: addressLimit)
        var count = Int32(addressLimit)
        // SAFETY: the answer and the records are lent for the call, with their counts.
        let status = unsafe ares_parse_aaaa_reply(answer.baseAddress, Int32(answer.count), nil, &records, &count)
        let found = records.prefix(Int(count))
        let addresses = found.map { record in
            var address = in6_addr()
            // SAFETY: both are the 16 bytes of an IPv6 address.
            unsafe withUnsafeMutableBytes(of: &address) { bytes in
                unsafe withUnsafeBytes(of: record.ip6addr) { unsafe bytes.copyMemory(from: $0) }
            }
            return unsafe IPAddress(attache_address_from_in6(&address))
        }
        return reply(status, addresses, found.map(\.ttl))
    }

    private static func reply(_ status: Int32, _ found: [IPAddress], _ lives: [Int32]) -> NameServerReply {
        var addresses: [IPAddress] = []
        for address in found where !addresses.contains(address) { addresses.append(address) }
        switch status {
        case ARES_SUCCESS where !addresses.isEmpty:
            return .addresses(addresses, ttl: Int(max(0, lives.min() ?? 0)))
        case ARES_SUCCESS, ARES_ENODATA: return .noAddress
        default: return .unusable
        }
    }
}
