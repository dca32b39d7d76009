import Glibc
import Support
import Synchronization

/// A name server on 127.0.0.1 that knows a few names, with the files that lead a resolver to it.
final class FakeNameServer: Sendable {
    /// What it answers for a name; nil for nothing at all.
    struct Entry: Sendable {
        var v4: [[UInt8]] = []
        var v6: [[UInt8]]? = []
        /// Holds the IPv6 answer back until 200 ms after the IPv4 one.
        var isV6Late = false
    }

    let configurationFile: String
    let hostsFile: String
    private let descriptor: Int32
    private let names: [String: Entry]
    private let asked = Mutex<[String]>([])
    private let thread = Mutex<TestThread?>(nil)

    /// Listens at once; a silent one never answers.
    init(_ names: [String: Entry], hosts: String = "", isSilent: Bool = false) {
        self.names = names
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { [descriptor] bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        precondition(isBound, "cannot bind a name server")
        let port = UInt16(bigEndian: address.sin_port)
        configurationFile = Self.write("nameserver 127.0.0.1:\(port)\nsearch search.test\noptions ndots:1\n")
        hostsFile = Self.write(hosts)
        let thread = TestThread { [weak self, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 512)
            var late: [UInt8]?
            while true {
                var from = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutableBytes(of: &from) {
                    recvfrom(
                        descriptor, &buffer, 512, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
                }
                guard count > 0, let self else { return }
                guard !isSilent, let answer = self.answer(Array(buffer.prefix(count))) else { continue }
                if late == nil, self.isLate(Array(buffer.prefix(count))) {
                    late = answer
                    continue
                }
                Self.send(answer, from: descriptor, to: &from, length)
                guard let held = late else { continue }
                usleep(200_000)
                Self.send(held, from: descriptor, to: &from, length)
                late = nil
            }
        }
        self.thread.withLock { $0 = thread }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        thread.withLock { $0 }?.join()
        close(descriptor)
        unlink(configurationFile)
        unlink(hostsFile)
    }

    /// The names asked for, once a question.
    var questions: [String] { asked.withLock { $0 } }

    private static func send(
        _ answer: [UInt8], from descriptor: Int32, to address: inout sockaddr_in, _ length: socklen_t
    ) {
        _ = withUnsafeBytes(of: &address) {
            sendto(
                descriptor, answer, answer.count, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    /// Whether a question is for the IPv6 addresses of a name whose answer is held back.
    private func isLate(_ query: [UInt8]) -> Bool {
        names.contains { name, entry in
            let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            return entry.isV6Late && Array(query.dropFirst(12)).starts(with: labels + [0, 0, 28])
        }
    }

    private func answer(_ query: [UInt8]) -> [UInt8]? {
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
        let name = labels.joined(separator: ".").lowercased()
        let kind = query[offset + 2]
        asked.withLock { $0.append("\(name) \(kind == 28 ? "AAAA" : "A")") }
        let entry = names[name]
        guard let addresses = entry.map({ kind == 28 ? $0.v6 : $0.v4 }) ?? [] else { return nil }
        var answer = Array(query[0..<2]) + [0x81, entry == nil ? 0x83 : 0x80]
        answer += [0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0]
        answer += query[12..<offset + 5]
        for address in addresses {
            answer += [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, UInt8(address.count)] + address
        }
        return answer
    }

    /// Puts another hosts file in the place of the first.
    func replaceHosts(_ text: String) { rename(Self.write(text), hostsFile) }

    private static func write(_ text: String) -> String {
        var template = Array("/tmp/attache-resolver-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        precondition(descriptor >= 0, "cannot write a temporary file")
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
        return template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
    }
}
