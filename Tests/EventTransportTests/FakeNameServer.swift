import Glibc
import Support

/// A name server on 127.0.0.1 that knows a few names, with the files that lead a resolver to it.
final class FakeNameServer: Sendable {
    /// What it answers for a name; nil for nothing at all.
    struct Entry: Sendable {
        var v4: [[UInt8]] = []
        var v6: [[UInt8]]? = []
    }

    let configurationFile: String
    let hostsFile: String
    private let descriptor: Int32
    private let asked: Monitor<[String]>
    private let late: Monitor<(answer: [UInt8], address: sockaddr_in)?>
    private let thread: BackgroundThread

    /// Listens at once; a silent one never answers, and a late question ("a.test AAAA") waits for `answerLate()`.
    init(_ names: [String: Entry], hosts: String = "", isSilent: Bool = false, lateQuestion: String? = nil) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        precondition(isBound, "cannot bind a name server")
        let port = UInt16(bigEndian: address.sin_port)
        configurationFile = Self.write("nameserver 127.0.0.1:\(port)\nsearch search.test\noptions ndots:1\n")
        hostsFile = Self.write(hosts)
        let asked = Monitor<[String]>([])
        self.asked = asked
        let late = Monitor<(answer: [UInt8], address: sockaddr_in)?>(nil)
        self.late = late
        self.descriptor = descriptor
        thread = BackgroundThread("of a name server") {
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                var from = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutableBytes(of: &from) {
                    recvfrom(
                        descriptor, &buffer, 512, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
                }
                guard count > 0 else { return }
                guard let (question, answer) = Self.answer(Array(buffer.prefix(count)), names) else { continue }
                asked.access { $0.append(question) }
                guard !isSilent, let answer else { continue }
                if question == lateQuestion {
                    late.access { $0 = (answer, from) }
                } else {
                    Self.send(answer, from: descriptor, to: from)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        try? thread.join()
        close(descriptor)
        unlink(configurationFile)
        unlink(hostsFile)
    }

    /// The names asked for, once a question.
    var questions: [String] { asked.access { $0 } }

    /// Gives the answer that was held back, once it was asked for.
    func answerLate() throws {
        let (answer, address) = try late.wait("the late question is asked") { $0 }
        Self.send(answer, from: descriptor, to: address)
    }

    private static func send(_ answer: [UInt8], from descriptor: Int32, to address: sockaddr_in) {
        _ = withUnsafeBytes(of: address) {
            sendto(
                descriptor, answer, answer.count, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t($0.count))
        }
    }

    /// What was asked, and the answer if there is one.
    private static func answer(_ query: [UInt8], _ names: [String: Entry]) -> (String, [UInt8]?)? {
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
        let question = "\(name) \(kind == 28 ? "AAAA" : "A")"
        let entry = names[name]
        guard let addresses = entry.map({ kind == 28 ? $0.v6 : $0.v4 }) ?? [] else { return (question, nil) }
        var answer = Array(query[0..<2]) + [0x81, entry == nil ? 0x83 : 0x80]
        answer += [0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0]
        answer += query[12..<offset + 5]
        for address in addresses {
            answer += [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, UInt8(address.count)] + address
        }
        return (question, answer)
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
